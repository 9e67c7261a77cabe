import type http from 'node:http'
import https from 'node:https'
import { describe, expect, it } from 'vitest'
import type { MediaSourceOptions } from '../../../src/media/create-media-source.js'
import { filesBelow } from '../../support/files-below.js'
import { endServer, listen, portOf } from '../../support/local-server.js'
import { sha256Hex, someBytes } from '../support/dag.js'
import { failure, onEnd, startSource } from '../support/media-parts.js'
import { selfSigned } from '../support/self-signed.js'

const content = someBytes(300_000)
const contentHash = sha256Hex(content)
const { key, cert } = selfSigned('media.test', 'other.test')

/** A TLS server at 127.0.0.1 that the names media.test and other.test lead to. */
async function startSite(answer: (request: http.IncomingMessage, response: http.ServerResponse) => void) {
  const requests: string[] = []
  const server = https.createServer({ key, cert }, (request, response) => {
    requests.push(`${request.headers.host?.split(':')[0]}${request.url}`)
    answer(request, response)
  })
  const port = portOf(await listen(server))
  onEnd(() => endServer(server))
  const source = (options: Partial<MediaSourceOptions> = {}) =>
    startSource({
      ca: cert,
      allowedPorts: [port],
      isAllowed: (address) => address === '127.0.0.1',
      resolve: async (name) => [{ address: name === 'inside.test' ? '10.0.0.1' : '127.0.0.1', family: 4 }],
      ...options,
    })
  return { port, requests, source, uri: `https://media.test:${port}/photo.jpg` }
}

describe('https:// media', () => {
  it('is fetched, checked and cached', async () => {
    const site = await startSite((_, response) => response.end(content))
    const source = await site.source()
    const media = await source.fetch({ uri: site.uri, contentHash })
    expect(media).toMatchObject({ bytes: content.length })
    expect(await source.fetch({ uri: site.uri, contentHash })).toMatchObject({ bytes: content.length })
    expect(site.requests).toEqual(['media.test/photo.jpg'])
  })

  it('follows checked redirects', async () => {
    const site = await startSite((request, response) => {
      if (request.url === '/photo.jpg') response.writeHead(301, { location: `https://other.test:${site.port}/b` }).end()
      else if (request.url === '/b') response.writeHead(307, { location: '/c' }).end()
      else response.end(content)
    })
    const source = await site.source()
    await source.fetch({ uri: site.uri, contentHash })
    expect(site.requests).toEqual(['media.test/photo.jpg', 'other.test/b', 'other.test/c'])
  })

  const redirects: [to: (port: number) => string, reason: string][] = [
    [(port) => `https://127.0.0.2:${port}/`, 'address-refused'],
    [(port) => `https://inside.test:${port}/`, 'address-refused'],
    [(port) => `http://media.test:${port}/`, 'uri-unsupported'],
    [(port) => `https://media.test:${port}/photo.jpg`, 'media-redirects'],
    [() => 'https://', 'media-redirects'],
  ]
  it.each(redirects)('refuses a redirect (%s) with %s', async (to, reason) => {
    const site = await startSite((_, response) => response.writeHead(302, { location: to(site.port) }).end())
    const source = await site.source({ maxRedirects: 3 })
    expect((await failure(source.fetch({ uri: site.uri, contentHash }))).reason).toBe(reason)
    expect(site.requests).toHaveLength(reason === 'media-redirects' && to(site.port) !== 'https://' ? 4 : 1)
  })

  const answers: [name: string, answer: (response: http.ServerResponse) => void, reason: string][] = [
    ['other bytes', (response) => response.end(someBytes(1000, 'other')), 'content-hash-mismatch'],
    ['no bytes', (response) => response.end(), 'media-empty'],
    ['more bytes than the cap', (response) => response.write(someBytes(600_000)), 'media-too-large'],
    [
      'a length over the cap',
      (response) => response.writeHead(200, { 'content-length': '600000' }).write('x'),
      'media-too-large',
    ],
    [
      'fewer bytes than its length states',
      (response) => {
        response.writeHead(200, { 'content-length': content.length + 1 }).write(content, () => response.destroy())
      },
      'media-unreachable',
    ],
    ['half, and keeps quiet', (response) => response.write(content.subarray(0, 150_000)), 'media-timeout'],
  ]
  it.each(answers)('is refused when the server sends %s', async (_, answer, reason) => {
    const site = await startSite((_, response) => answer(response))
    const source = await site.source({ maxBytes: 500_000, idleMs: 300 })
    expect((await failure(source.fetch({ uri: site.uri, contentHash }))).reason).toBe(reason)
    expect(await filesBelow(source.folder)).toEqual([])
  })

  it('is refused at private addresses by default', async () => {
    const site = await startSite((_, response) => response.end(content))
    const source = await startSource({ allowedPorts: [site.port], ca: cert })
    const uri = `https://127.0.0.1:${site.port}/`
    expect((await failure(source.fetch({ uri, contentHash }))).reason).toBe('address-refused')
    expect(site.requests).toEqual([])
  })

  it('is refused when the certificate is for another name', async () => {
    const site = await startSite((_, response) => response.end(content))
    const source = await site.source()
    const uri = `https://third.test:${site.port}/`
    expect((await failure(source.fetch({ uri, contentHash }))).reason).toBe('media-unreachable')
    expect(site.requests).toEqual([])
  })
})
