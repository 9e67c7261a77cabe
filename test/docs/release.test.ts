import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { packagePath } from '../../src/core/files.js'
import { folderForTest } from '../support/temporary-folder.js'
import { read } from './pages.js'

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
})
const workflow = z
  .object({
    on: z.record(z.string(), z.unknown()),
    permissions: z.record(z.string(), z.string()),
    jobs: z.record(
      z.string(),
      z.object({
        if: z.string(),
        strategy: z.object({ matrix: z.object({ include: z.array(z.object({ arch: z.string() })) }) }).optional(),
        steps: z.array(step),
      }),
    ),
  })
  .parse(parse(read('.github/workflows/release.yml')))
const { build, publish } = workflow.jobs
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')))

/** As on a runner; the suite's own PATH may have nothing but Node. */
const BASH = '/bin/bash'
const withBash = it.skipIf(!fs.existsSync(BASH))

// What the steps ask of docker: the digest of what was just published.
const DOCKER = `#!/bin/sh
echo "$@" >>"$CALLS"
case "$*" in *inspect*) echo '{"digest":"sha256:abc","size":1}';; esac
`

/** Runs shell steps of a job as the runner does: with what steps before them wrote for all others. */
async function runSteps(scripts: readonly string[], tag: string) {
  const folder = await folderForTest()
  fs.writeFileSync(path.join(folder, 'docker'), DOCKER, { mode: 0o755 })
  const file = (name: string) => {
    fs.writeFileSync(path.join(folder, name), '')
    return path.join(folder, name)
  }
  const [set, output, calls] = [file('env'), file('output'), file('calls')]
  const variables = () => Object.fromEntries(linesOf(set).map((line) => line.split('=')))
  const runner = { GITHUB_ENV: set, GITHUB_OUTPUT: output, GITHUB_REPOSITORY: 'Owner/Attestd', TAG: tag, CALLS: calls }
  const PATH = `${folder}:${process.env.PATH}`
  for (const script of scripts) {
    const env = { PATH, ...runner, ...variables() }
    execFileSync(BASH, ['-e', '-c', script], { cwd: packagePath(), env, stdio: 'pipe' })
  }
  return { variables: variables(), output: linesOf(output), calls: linesOf(calls) }
}

const linesOf = (file: string) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)
const scriptsOf = (job: typeof build) => job!.steps.flatMap(({ run }) => run ?? [])

describe('the workflow that publishes the image', () => {
  it('runs only where a person enabled it and starts it, with the rights of its job only', () => {
    expect(Object.keys(workflow.on)).toEqual(['workflow_dispatch'])
    for (const job of Object.values(workflow.jobs)) expect(job.if).toBe("vars.PUBLISH_IMAGE == 'true'")
    expect(workflow.permissions).toEqual({})
  })

  it('names full versions, and builds for both processors with provenance', () => {
    const used = steps.flatMap(({ uses }) => uses ?? [])
    expect(used.length).toBeGreaterThan(4)
    for (const one of used) expect(one).toMatch(/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/)
    expect(build!.strategy!.matrix.include.map(({ arch }) => arch)).toEqual(['amd64', 'arm64'])
    const push = build!.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))
    expect(push?.with).toMatchObject({ provenance: 'mode=max', sbom: true })
    expect(push?.with.platforms).toMatch(/^linux\/\$\{\{ matrix\.arch \}\}$/)
  })

  withBash('its shell steps publish the version that the deployment files name, and hand on its digest', async () => {
    const built = await runSteps(scriptsOf(build), `v${version}`)
    expect(built.variables).toEqual({ IMAGE: 'ghcr.io/owner/attestd', VERSION: version })
    const { calls, output } = await runSteps(scriptsOf(publish), `v${version}`)
    const image = `ghcr.io/owner/attestd:${version}`
    expect(calls[0]).toBe(`buildx imagetools create --tag ${image} ${image}-amd64 ${image}-arm64`)
    expect(output).toEqual(['digest=sha256:abc'])
    expect(read('config/kubernetes/kustomization.yaml')).toContain(`newTag: ${image.split(':')[1]}`)
  })

  withBash('a tag that is not the version ends it', async () => {
    await expect(runSteps(scriptsOf(build), 'v0.0.1')).rejects.toThrow()
  })
})

it('image tags in deployment files are the version of package.json', () => {
  for (const file of [
    'config/compose.yaml',
    'config/kubernetes/submit.yaml',
    'config/kubernetes/analyze.yaml',
    'README.md',
  ])
    expect(read(file), file).toContain(`attestd:${version}`)
  expect(read('config/kubernetes/kustomization.yaml')).toContain(`newTag: ${version}`)
})
