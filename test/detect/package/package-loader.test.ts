import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { manifestDigest } from '../../../src/detect/package/manifest.js'
import {
  checkChosen,
  loadOrder,
  loadPackage,
  loadPackages,
  summaryOf,
} from '../../../src/detect/package/package-loader.js'
import type { DetectorChoice } from '../../../src/detect/package/selection.js'
import {
  ENCODER_RUNTIME,
  writeEncodedPackage,
  writeEncoderPackage,
  writeHeadPackage,
} from '../../support/detector-encoded.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { folderForEach, folderForTest } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const modelsDir = folderForEach()

const load = (...ids: string[]) => loadPackages({ modelsDir, detectors: ids.map((id) => ({ id })) })

describe('loadPackages', () => {
  it('loads the only package where none is named, with the digest of its manifest text', async () => {
    const folder = await writeTinyPackage(modelsDir)
    await fs.writeFile(path.join(modelsDir, 'README.md'), 'not a package')
    await fs.mkdir(path.join(modelsDir, 'drafts'))
    const [only, ...others] = (await load()).map(summaryOf)
    expect(others).toEqual([])
    const text = await fs.readFile(path.join(folder, 'detector.json'))
    expect(only).toEqual({
      id: 'tiny-image',
      version: '1.0.0',
      title: 'Tiny network for tests',
      mediaTypes: ['image'],
      digest: manifestDigest(text),
    })
  })

  it('loads the named one of two and does not read the other', async () => {
    await writeTinyPackage(modelsDir, { id: 'one' })
    const other = await writeTinyPackage(modelsDir, { id: 'two' })
    await fs.writeFile(path.join(other, 'detector.json'), 'broken')
    expect((await load('one')).map(({ manifest }) => manifest.id)).toEqual(['one'])
  })

  it('loads every package where none is named, except variants of another', async () => {
    await writeTinyPackage(modelsDir, { id: 'one' })
    await writeTinyPackage(modelsDir, { id: 'one-open', manifest: { variantOf: 'one' } })
    await writeTinyPackage(modelsDir, { id: 'three', manifest: { variantOf: 'two' } })
    expect((await load()).map(({ manifest }) => manifest.id)).toEqual(['one', 'three'])
    expect((await load('one-open', 'one')).map(({ manifest }) => manifest.id)).toEqual(['one-open', 'one'])
  })

  it('takes weight and shadow from the manifest unless they are given', async () => {
    await writeTinyPackage(modelsDir, { id: 'one', manifest: { weight: 3 } })
    await writeTinyPackage(modelsDir, { id: 'two', manifest: { shadow: true, weight: 2 } })
    const parts = async (...detectors: DetectorChoice[]) =>
      (await loadPackages({ modelsDir, detectors })).map(({ weight, shadow }) => [weight, shadow])
    expect(await parts()).toEqual([
      [3, false],
      [2, true],
    ])
    expect(await parts({ id: 'one', shadow: true }, { id: 'two', weight: 0.5 })).toEqual([
      [3, true],
      [0.5, false],
    ])
  })

  it('loads a folder copied among the packages of attestd, or one that no list names, as a shadow', async () => {
    for (const id of ['attestd-image', 'mine']) await writeTinyPackage(modelsDir, { id, manifest: { weight: 3 } })
    await writeTinyPackage(modelsDir, { id: 'edition', manifest: { variantOf: 'mine' } })
    const parts = async (...detectors: DetectorChoice[]) =>
      (await loadPackages({ modelsDir, detectors })).map(({ manifest, shadow, unlisted }) => [
        manifest.id,
        shadow,
        unlisted,
      ])
    const copied = [
      ['attestd-image', false, undefined],
      ['mine', true, true],
    ]
    expect(await parts()).toEqual(copied)
    expect(await parts({ id: 'attestd-image' }, { id: '*', shadow: true })).toEqual(copied)
    expect(await parts({ id: 'attestd-image' }, { id: 'mine' })).toEqual([copied[0], ['mine', false, undefined]])
  })

  it('refuses an unknown id and lists the known ones', async () => {
    await writeTinyPackage(modelsDir, { id: 'one' })
    await expect(load('eleven')).rejects.toThrow(withReason('setting-invalid', /eleven .*there are: one/))
  })

  it.each(['../one', 'one/../one', '/etc'])('refuses the id %s', async (id) => {
    await writeTinyPackage(modelsDir, { id: 'one' })
    await expect(load(id)).rejects.toMatchObject({ reason: 'setting-invalid' })
  })

  it('refuses an empty and a missing models directory', async () => {
    await expect(load()).rejects.toThrow(withReason('setting-invalid', /holds no detector package/))
    await expect(loadPackages({ modelsDir: path.join(modelsDir, 'no'), detectors: [] })).rejects.toThrow(
      withReason('setting-invalid', /ENOENT/),
    )
  })

  it('refuses a folder whose name differs from its id', async () => {
    const folder = await writeTinyPackage(modelsDir, { id: 'one' })
    await fs.rename(folder, path.join(modelsDir, 'renamed'))
    await expect(load()).rejects.toThrow(withReason('manifest-invalid', /id: is one, .*renamed/))
  })
})

describe('a selection', () => {
  it('loads a package that is named twice once, as it was named last', async () => {
    await writeTinyPackage(modelsDir, { id: 'one' })
    const twice = await loadPackages({
      modelsDir,
      detectors: [
        { id: 'one', weight: 2 },
        { id: 'one', weight: 5 },
      ],
    })
    expect(twice.map(({ weight }) => weight)).toEqual([5])
  })

  it('of shadows alone is refused; a canary without an active detector is not refused here', async () => {
    await writeTinyPackage(modelsDir, { id: 'one' })
    await expect(loadPackages({ modelsDir, detectors: [{ id: 'one', shadow: true }] })).rejects.toMatchObject({
      message: expect.stringMatching(/nothing would be scored/),
    })
    await expect(loadPackages({ modelsDir, detectors: [{ id: 'one', canary: 5 }] })).resolves.toMatchObject([
      { canary: 5 },
    ])
  })

  it('can be checked without reading a package, so that a restart does not fail over it', async () => {
    const folder = await writeTinyPackage(modelsDir, { id: 'one' })
    await fs.writeFile(path.join(folder, 'detector.json'), 'broken')
    await expect(checkChosen({ modelsDir, detectors: [{ id: 'one' }] })).resolves.toBeUndefined()
    await expect(checkChosen({ modelsDir, detectors: [{ id: 'one' }, { id: 'two' }] })).rejects.toThrow(
      withReason('setting-invalid', /two .*there are: one/),
    )
  })

  it('refuses a manifest of more than a mebibyte unread', async () => {
    const folder = await writeTinyPackage(modelsDir, { id: 'one' })
    const manifest = path.join(folder, 'detector.json')
    const text = await fs.readFile(manifest, 'utf8')
    await fs.writeFile(manifest, text.padEnd(1024 * 1024))
    await expect(load()).resolves.toHaveLength(1)
    await fs.writeFile(manifest, text.padEnd(1024 * 1024 + 1))
    await expect(load()).rejects.toThrow(withReason('manifest-invalid', /far too large/))
  })
})

describe('a package that uses others', () => {
  const video = (runtime: Record<string, string>) =>
    writeTinyPackage(modelsDir, {
      id: 'clips',
      manifest: {
        mediaTypes: ['video_short'],
        runtime: { kind: 'composed', ...runtime },
        preprocessing: { kind: 'video', maxFrames: 8, windowSeconds: 2 },
      },
    })
  const ids = async (...selected: string[]) => loadOrder(await load(...selected)).map(({ manifest }) => manifest.id)

  it('loads the named ones first, and once', async () => {
    await writeTinyPackage(modelsDir, { id: 'pictures' })
    await writeTinyPackage(modelsDir, { id: 'other' })
    await video({ frames: 'pictures' })
    const [only, ...others] = await load('clips')
    expect(others).toEqual([])
    expect(only?.uses.map(({ manifest }) => manifest.id)).toEqual(['pictures'])
    expect(await ids('clips')).toEqual(['pictures', 'clips'])
    expect(await ids('clips', 'pictures')).toEqual(['pictures', 'clips'])
  })

  it.each([
    ['is not there', { frames: 'nobody' }, /runtime.frames: there is no detector package nobody .*pictures/s],
    ['is outside the folder', { frames: '../pictures' }, /runtime.frames: there is no detector package/],
    [
      'scores another medium',
      { frames: 'pictures', audio: 'pictures' },
      /runtime.audio: pictures scores image, not audio/,
    ],
    ['is itself', { frames: 'clips' }, /runtime.frames: clips scores video_short, not image/],
  ])('is refused where one that it names %s', async (_, runtime, message) => {
    await writeTinyPackage(modelsDir, { id: 'pictures' })
    await video(runtime)
    await expect(load('clips')).rejects.toThrow(withReason('manifest-invalid', message))
  })
})

describe('a package over the encoder of another', () => {
  const writeClips = (frames: string) =>
    writeTinyPackage(modelsDir, {
      id: 'clips',
      manifest: {
        mediaTypes: ['video_short'],
        runtime: { kind: 'composed', frames, audio: 'tiny-encoded' },
        preprocessing: { kind: 'video', maxFrames: 8, windowSeconds: 2 },
      },
    })
  const ids = async (...selected: string[]) => loadOrder(await load(...selected)).map(({ manifest }) => manifest.id)
  const digestOf = async (id: string) => (await load(id))[0]?.digest

  it('loads the encoder first, and once', async () => {
    await writeEncoderPackage(modelsDir)
    const folder = await writeEncodedPackage(modelsDir)
    expect((await loadPackage(folder)).uses.map(({ manifest }) => manifest.id)).toEqual(['tiny-encoder'])
    expect(await ids('tiny-encoded')).toEqual(['tiny-encoder', 'tiny-encoded'])
    expect(await ids('tiny-encoded', 'tiny-encoder')).toEqual(['tiny-encoder', 'tiny-encoded'])
  })

  it('has another digest as soon as the encoder has', async () => {
    await writeEncoderPackage(modelsDir)
    const folder = await writeEncodedPackage(modelsDir)
    const before = await digestOf('tiny-encoded')
    expect((await loadPackage(folder)).digest).toBe(before)
    expect(before).not.toBe(manifestDigest(await fs.readFile(path.join(folder, 'detector.json'))))
    await writeEncoderPackage(modelsDir, { manifest: { version: '1.0.1' } })
    expect(await digestOf('tiny-encoded')).not.toBe(before)
  })

  it.each([
    ['tiny-encoder', ['tiny-encoder', 'tiny-encoded', 'clips']],
    ['tiny-image', ['tiny-encoder', 'tiny-image', 'tiny-encoded', 'clips']],
  ])('is loaded with its encoder by a video package whose frames go to %s', async (frames, order) => {
    await writeTinyPackage(modelsDir)
    await writeEncoderPackage(modelsDir)
    await writeEncodedPackage(modelsDir)
    await writeClips(frames)
    expect(await ids('clips')).toEqual(order)
    expect(await ids('clips', 'tiny-encoded', 'tiny-encoder')).toEqual(order)
  })

  it('changes the digest of a video package with the encoder', async () => {
    await writeTinyPackage(modelsDir)
    await writeEncoderPackage(modelsDir)
    await writeEncodedPackage(modelsDir)
    await writeClips('tiny-image')
    const before = await digestOf('clips')
    expect(await digestOf('clips')).toBe(before)
    await writeEncoderPackage(modelsDir, { manifest: { version: '1.0.1' } })
    expect(await digestOf('clips')).not.toBe(before)
  })

  it.each([
    ['is not there', 'nobody', /runtime.encoder: there is no detector package nobody .*tiny-image/s],
    ['is for one view', 'tiny-image', /runtime.encoder: tiny-image states no runtime.features/],
    ['states no features', 'tiny-encoder', /runtime.encoder: tiny-encoder states no runtime.features/],
    ['is itself', 'tiny-encoded', /runtime.encoder: tiny-encoded states no runtime.features/],
  ])('is refused where its encoder %s', async (_, encoder, message) => {
    const { features: _features, ...runtime } = ENCODER_RUNTIME
    await writeTinyPackage(modelsDir)
    await writeEncoderPackage(modelsDir, { manifest: { runtime } })
    await writeEncodedPackage(modelsDir, { runtime: { encoder } })
    await expect(load('tiny-encoded')).rejects.toThrow(withReason('manifest-invalid', message))
  })
})

describe('files of a package', () => {
  it('may be in the folder of another package, and are checked there', async () => {
    const encoder = await writeEncoderPackage(modelsDir)
    await writeHeadPackage(modelsDir)
    expect((await load('tiny-head')).map(({ manifest }) => manifest.id)).toEqual(['tiny-head'])
    await flipByte(path.join(encoder, 'whole.onnx'))
    await expect(load('tiny-head')).rejects.toThrow(
      withReason('model-digest-mismatch', path.join(encoder, 'whole.onnx')),
    )
    await fs.rm(encoder, { recursive: true })
    await expect(load('tiny-head')).rejects.toThrow(withReason('model-digest-mismatch', /is missing/))
  })

  it('of another package are named by its id, not by a path', async () => {
    const manifest = path.join(await writeHeadPackage(modelsDir), 'detector.json')
    await fs.writeFile(manifest, (await fs.readFile(manifest, 'utf8')).replace('"tiny-encoder"', '"../elsewhere"'))
    await expect(load('tiny-head')).rejects.toThrow(withReason('manifest-invalid', /files\.whole/))
  })

  it.each([
    ['one byte changed', async (model: string) => flipByte(model), /has the sha256/],
    ['a byte more', async (model: string) => fs.appendFile(model, 'x'), /bytes, the manifest states/],
    ['absent', async (model: string) => fs.rm(model), /is missing/],
    ['a folder', async (model: string) => fs.rm(model).then(() => fs.mkdir(model)), /is not a file/],
  ])('a model that is %s is refused', async (_, spoil, message) => {
    const folder = await writeTinyPackage(modelsDir)
    await spoil(path.join(folder, 'model.onnx'))
    await expect(load()).rejects.toThrow(withReason('model-digest-mismatch', message))
  })

  it('a link out of the folder is refused even with the right bytes', async () => {
    const folder = await writeTinyPackage(modelsDir)
    const outside = path.join(modelsDir, 'model.onnx')
    await fs.rename(path.join(folder, 'model.onnx'), outside)
    await fs.symlink(outside, path.join(folder, 'model.onnx'))
    await expect(load()).rejects.toThrow(withReason('manifest-invalid', /files.model.onnx: is a link/))
  })

  it('a package folder that is itself a link is accepted', async () => {
    const folder = await writeTinyPackage(await folderForTest())
    await fs.symlink(folder, path.join(modelsDir, 'tiny-image'))
    await expect(load()).resolves.toHaveLength(1)
  })
})

async function flipByte(file: string): Promise<void> {
  const data = await fs.readFile(file)
  data[10] = (data[10] as number) ^ 1
  await fs.writeFile(file, data)
}
