import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { read } from './pages.js'

const step = z.object({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).default({}) })
const workflow = z
  .object({
    on: z.record(z.string(), z.unknown()),
    permissions: z.record(z.string(), z.string()),
    jobs: z.record(z.string(), z.object({ if: z.string(), steps: z.array(step) })),
  })
  .parse(parse(read('.github/workflows/release.yml')))
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)

describe('the workflow that publishes the image', () => {
  it('runs only where a person enabled it and starts it, with no right but those of its job', () => {
    expect(Object.keys(workflow.on)).toEqual(['workflow_dispatch'])
    for (const job of Object.values(workflow.jobs)) expect(job.if).toBe("vars.PUBLISH_IMAGE == 'true'")
    expect(workflow.permissions).toEqual({})
  })

  it('names full versions of what it uses, and builds for both processors with provenance', () => {
    const used = steps.flatMap(({ uses }) => uses ?? [])
    expect(used.length).toBeGreaterThan(4)
    for (const one of used) expect(one).toMatch(/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/)
    const build = steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))
    expect(build?.with).toMatchObject({ platforms: 'linux/amd64,linux/arm64', provenance: 'mode=max', sbom: true })
  })
})

it('image tags in deployment files are the version of package.json', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')))
  for (const file of [
    'config/compose.yaml',
    'config/kubernetes/submit.yaml',
    'config/kubernetes/analyze.yaml',
    'README.md',
  ])
    expect(read(file), file).toContain(`attestd:${version}`)
  expect(read('config/kubernetes/kustomization.yaml')).toContain(`newTag: ${version}`)
})
