import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { environmentOf } from '../../image/root-file-system.ts'
import { settingsOf } from './settings-schema.ts'

const root = join(import.meta.dirname, '../../..')

type Labels = Readonly<Record<string, string>>
type Container = {
  readonly name: string
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly securityContext?: Readonly<Record<string, unknown>>
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  readonly [probe: `${string}Probe`]: { readonly httpGet: { path: string; port: string } }
}
type Template = {
  readonly metadata: { readonly labels: Labels }
  readonly spec: {
    readonly containers: readonly Container[]
    readonly volumes?: readonly Spec[]
    readonly securityContext?: Readonly<Record<string, unknown>>
    readonly automountServiceAccountToken?: boolean
  }
}
// biome-ignore lint/suspicious/noExplicitAny: objects of a dozen kinds, of which each rule reads a few members.
type Spec = any
export type KubernetesObject = {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Labels }
  readonly spec?: Spec
}

/** The objects of a rendered chart. */
export const objectsOf = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text).map((one) => one.toJS() as KubernetesObject)

const readBy = (page: string, ...more: readonly string[]) => new Set([...settingsOf(page), ...more])
const variables: Readonly<Record<string, ReadonlySet<string>>> = {
  'identity-provider': readBy('identity-provider', 'NODE_EXTRA_CA_CERTS'),
  api: readBy('greeting-api', 'NODE_EXTRA_CA_CERTS'),
  bootstrap: readBy(
    'identity-provider',
    ...['ADMINISTRATOR_SECRET', 'CLIENTS_SECRET', 'NODE_EXTRA_CA_CERTS'],
  ),
  backup: readBy('identity-provider', ...['BACKUPS_KEPT', 'BACKUP_DIR', 'NODE_EXTRA_CA_CERTS']),
  test: new Set([
    'AUTH_URL',
    'IDENTITY_PROVIDER_URL',
    'API_URL',
    'API_APPLICATION_ID',
    'CLIENTS_FILE',
  ]),
}

/** The variables whose file no volume has: `/trust/ca.crt` is the item `ca.crt` of the volume at `/trust`. */
const missingFiles = (spec: Template['spec'], { env, volumeMounts = [] }: Container) =>
  env.filter(({ value = '' }) => {
    const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
    const volume = spec.volumes?.find(({ name }) => name === mount?.name)
    const files = volume?.configMap ?? volume?.secret
    const paths = files?.items?.map(({ path }: Spec) => `${mount?.mountPath}/${path}`)
    return value.startsWith('/') && (!mount || (files && !paths?.includes(value)))
  })

const isWorkload = ({ kind }: KubernetesObject) =>
  ['Deployment', 'Job', 'CronJob', 'Pod'].includes(kind)
const templateOf = ({ kind, metadata, spec }: KubernetesObject): Template =>
  kind === 'Pod' ? { metadata, spec } : (spec.jobTemplate?.spec.template ?? spec.template)
const selects = (selector: Labels, labels: Labels) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

/** The probes of the pods, and the paths of metrics, as [component, port, path]. */
export const requestsOf = (objects: readonly KubernetesObject[]) => [
  ...objects.filter(isWorkload).flatMap((one) =>
    templateOf(one).spec.containers.flatMap((container) =>
      (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).flatMap((probe) => {
        const get = container[probe]?.httpGet
        return get ? [[container.name, get.port, get.path] as const] : []
      }),
    ),
  ),
  ...objects
    .filter(({ kind }) => kind === 'ServiceMonitor')
    .map(({ spec, metadata }) => {
      const [{ port, path = '/metrics' }] = spec.endpoints
      return [metadata.labels['app.kubernetes.io/component'], port, path] as const
    }),
]

/**
 * The faults in the objects of a chart, one sentence each: selectors that match nothing, variables that no
 * service reads, ports that no program opens, and what the security level `restricted` forbids.
 */
export function objectFaults(objects: readonly KubernetesObject[]): readonly string[] {
  const faults: string[] = []
  const workloads = objects.filter(isWorkload)
  const named = (kind: string, name: string) =>
    objects.find((one) => one.kind === kind && one.metadata.name === name)
  const selecting: [string, Labels, number][] = objects.flatMap(({ kind, metadata, spec }) => {
    const what = `${kind} ${metadata.name}`
    if (kind === 'Service') return [[what, spec.selector, 1]]
    if (kind === 'NetworkPolicy') return [[what, spec.podSelector.matchLabels, 1]]
    if (kind === 'Deployment' || kind === 'PodDisruptionBudget')
      return [[what, spec.selector.matchLabels, 1]]
    return []
  })
  for (const [what, selector, count] of selecting) {
    const found = workloads.filter((one) => selects(selector, templateOf(one).metadata.labels))
    if (found.length !== count) faults.push(`${what} selects ${found.length} workloads`)
  }
  for (const { kind, metadata, spec } of objects) {
    const what = `${kind} ${metadata.name}`
    if (kind === 'HorizontalPodAutoscaler' && !named('Deployment', spec.scaleTargetRef.name))
      faults.push(`${what} scales nothing`)
    if (kind === 'ServiceMonitor') {
      const services = objects.filter(
        (one) => one.kind === 'Service' && selects(spec.selector.matchLabels, one.metadata.labels),
      )
      const [service] = services
      if (services.length !== 1) faults.push(`${what} selects ${services.length} Services`)
      for (const { port, relabelings } of spec.endpoints) {
        if (!service?.spec.ports.some(({ name }: { name: string }) => name === port))
          faults.push(`${what} has a port ${port} that its Service lacks`)
        const job = relabelings.find(({ targetLabel }: Spec) => targetLabel === 'job')?.replacement
        const rules = readFileSync(join(root, 'deploy/chart/files/rules.yaml'), 'utf8')
        if (!rules.includes(`job="${job}"`)) faults.push(`${what} has a job ${job} without a rule`)
      }
    }
    const backends = [
      ...(kind === 'Ingress'
        ? spec.rules.flatMap(({ http }: Spec) =>
            http.paths.map(({ backend }: Spec) => backend.service),
          )
        : []),
      ...(kind === 'HTTPRoute' ? spec.rules.flatMap(({ backendRefs }: Spec) => backendRefs) : []),
    ]
    for (const { name, port } of backends) {
      const ports = named('Service', name)?.spec.ports ?? []
      const wanted = typeof port === 'number' ? { port } : port
      if (!ports.some((one: Labels) => selects(wanted, one)))
        faults.push(`${what} leads to a port of ${name} that does not exist`)
    }
    if (kind === 'Service') {
      const pods = workloads.filter((one) =>
        selects(spec.selector, templateOf(one).metadata.labels),
      )
      const open = pods.flatMap((one) =>
        templateOf(one).spec.containers.flatMap(({ ports = [] }) => ports),
      )
      for (const { targetPort } of spec.ports)
        if (!open.some(({ name }) => name === targetPort))
          faults.push(`${what} leads to a port ${targetPort} that no container opens`)
    }
  }
  for (const workload of workloads) {
    const { spec } = templateOf(workload)
    const what = `${workload.kind} ${workload.metadata.name}`
    // The group of the files that the backup writes takes nothing from the level.
    const { fsGroup: _, ...level } = spec.securityContext ?? {}
    if (!isDeepStrictEqual(level, restrictedPod)) faults.push(`${what} is not restricted`)
    if (workload.kind !== 'Job' && spec.automountServiceAccountToken !== false)
      faults.push(`${what} mounts a token of the cluster`)
    for (const container of spec.containers) {
      const { name, env, ports = [], securityContext, ...rest } = container
      for (const one of missingFiles(spec, container))
        faults.push(`${what} has no file for ${one.name}`)
      if (!isDeepStrictEqual(securityContext, restrictedContainer))
        faults.push(`${what} has a container that is not restricted`)
      const names = env.map((one) => one.name)
      for (const one of names.filter((one, index) => names.indexOf(one) !== index))
        faults.push(`${what} sets ${one} twice`)
      for (const one of names.filter((one) => !variables[name]?.has(one)))
        faults.push(`${what} sets ${one}, which it does not read`)
      const image = environmentOf(join(root, 'deploy/Containerfile'), name)
      const value = (setting: string) => env.find((one) => one.name === setting)?.value
      const opened = { http: image.PORT, metrics: value('METRICS_PORT') }
      for (const port of ports)
        if (String(port.containerPort) !== opened[port.name as keyof typeof opened])
          faults.push(`${what} does not open the port ${port.containerPort}`)
      for (const [probe, { httpGet }] of Object.entries(rest).filter(([key]) =>
        key.endsWith('Probe'),
      ) as [string, Container['readinessProbe']][])
        if (!ports.some((one) => one.name === httpGet.port))
          faults.push(`${what} has a ${probe} at no port`)
    }
  }
  return faults
}

const restrictedPod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}
