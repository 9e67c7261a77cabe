import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { SETTINGS } from '../../src/config/settings.js'
import { packagePath } from '../../src/core/files.js'
import { ANALYZE_QUEUES } from '../../src/queue/queues.js'
import { acceptedSettings } from './deployed-settings.js'
import { read } from './pages.js'

// What the types of Kubernetes cannot know (.ci/kubernetes.mjs): that the objects fit each other and the daemon.
const FOLDER = 'config/kubernetes'
const files = fs
  .readdirSync(packagePath(FOLDER))
  .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
const objects = files.flatMap((file) => parseAllDocuments(read(FOLDER, file)).map((one) => one.toJS() as unknown))
const ofKind = <T>(kind: string, shape: z.ZodType<T>) =>
  objects.filter((one) => z.object({ kind: z.string() }).parse(one).kind === kind).map((one) => shape.parse(one))

const labels = z.record(z.string(), z.string())
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) })
const container = z.object({
  image: z.string(),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.object({ requests: z.object({ cpu: z.string(), memory: z.string() }) }),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
})
const deployment = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number().optional(),
    strategy: z.object({ type: z.string() }).optional(),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        // By default a pod gets variables like ATTESTD_PORT for the Service, reported as unknown settings at every start.
        enableServiceLinks: z.literal(false),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.literal(1000) }),
        containers: z.tuple([container]),
        volumes: z.array(z.object({ name: z.string() })),
      }),
    }),
  }),
})
const deployments = ofKind('Deployment', deployment).map((one) => [one.metadata.name, one] as const)
const [settings] = ofKind('ConfigMap', z.object({ metadata: z.object({ name: z.string() }), data: labels }))

const environmentOf = ({ spec }: z.infer<typeof deployment>) => {
  const [{ env }] = spec.template.spec.containers
  return { ...settings!.data, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) }
}

describe('config/kubernetes', () => {
  it.each(deployments)('%s: its settings are accepted', (_, one) => {
    expect(one.spec.template.spec.containers[0].envFrom).toEqual([{ configMapRef: { name: settings!.metadata.name } }])
    const { httpHost } = acceptedSettings(environmentOf(one))
    // The probes come from outside the pod.
    expect(httpHost).toBe('0.0.0.0')
  })

  it.each(deployments)('%s: has time to drain, and what it mounts is defined', (_, { spec }) => {
    const { containers, terminationGracePeriodSeconds, volumes } = spec.template.spec
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(Number(SETTINGS.drainMs.fallback) + 5000)
    const [{ livenessProbe, readinessProbe, volumeMounts }] = containers
    expect(volumes.map(({ name }) => name)).toEqual(volumeMounts.map(({ name }) => name))
    expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(expect.arrayContaining(['/data', '/tmp']))
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/healthz', '/readyz'])
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
  })

  it('every role exists once, and only the pod that submits has the key', () => {
    const all = deployments.map(([, one]) => environmentOf(one))
    expect(all.map(({ ATTESTD_ROLES }) => ATTESTD_ROLES).join()).toBe('analyze,intake,submit')
    expect(all.filter((one) => 'ATTESTD_SIGNING_SECRET_FILE' in one)).toHaveLength(1)
    const submit = deployments.find(([name]) => name === 'attestd-submit')![1]
    expect([submit.spec.replicas, submit.spec.strategy?.type]).toEqual([1, 'Recreate'])
  })

  it('workers are scaled by a metric that the submit pod serves, and protected as a group', () => {
    const name = z.object({ name: z.string() })
    const trigger = z.object({ type: z.literal('metrics-api'), metadata: labels })
    const [scaled] = ofKind(
      'ScaledObject',
      z.object({ spec: z.object({ scaleTargetRef: name, triggers: z.array(trigger) }) }),
    )
    const [service] = ofKind('Service', z.object({ metadata: name, spec: z.object({ selector: labels }) }))
    const [budget] = ofKind(
      'PodDisruptionBudget',
      z.object({ spec: z.object({ selector: z.object({ matchLabels: labels }) }) }),
    )
    const of = (wanted: string) => deployments.find(([one]) => one === wanted)![1].spec
    expect(budget!.spec.selector.matchLabels).toEqual(of(scaled!.spec.scaleTargetRef.name).selector.matchLabels)
    expect(service!.spec.selector).toEqual(of('attestd-submit').selector.matchLabels)
    const { triggers } = scaled!.spec
    for (const { metadata } of triggers)
      expect(metadata.url).toBe(`http://${service!.metadata.name}.attestd.svc:8780/metrics`)
    const asked = triggers.map(({ metadata }) => /^(\w+)\{(.*)\}$/.exec(metadata.valueLocation!)!)
    expect(asked.map(([, , selector]) => selector)).toEqual(
      ANALYZE_QUEUES.map((name) => `queue="${name}",state="waiting"`),
    )
    for (const [, metric] of asked) expect(read('config/METRICS.md')).toContain(`\n- \`${metric}\` `)
  })
})
