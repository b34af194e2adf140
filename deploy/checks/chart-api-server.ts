import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import { ApiServer, serverVersion } from '../running/kubernetes.ts'
import type { Check } from './check.ts'
import { type EdgeValues, edgeValues } from './edge-values.ts'

/** Installs the chart on a real API server, and checks what the server accepts and what a removed release leaves. */
export const chartApiServer: Check = {
  name: 'chart-api-server',
  programs: ['helm', 'kubectl', 'etcd', 'go'],
  run: async (root) => {
    const folder = mkdtempSync(join(tmpdir(), 'greeting-objects-'))
    await using server = await ApiServer.start(root)
    try {
      const cluster = new Cluster(server, join(root, 'deploy/chart'), folder)
      const examples = readdirSync(join(root, 'deploy/chart/examples')).map((example) => ({
        title: example,
        example,
        set: [],
      }))
      const lines: string[] = []
      for (const [index, values] of [...examples, ...edgeValues].entries())
        lines.push(await cluster.accept(`row-${index}`, values))
      return [...lines, await lifeOfRelease(cluster), await twoReleases(cluster)]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

type Manifest = {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid?: string }
  readonly spec?: {
    readonly template?: PodTemplate
    readonly jobTemplate?: { spec: { template: PodTemplate } }
  }
}
type PodTemplate = { readonly metadata: object; readonly spec: object }
type Outcome = 'Complete' | 'Failed'

class Cluster {
  readonly #server: ApiServer
  readonly #chart: string
  readonly #folder: string

  constructor(server: ApiServer, chart: string, folder: string) {
    this.#server = server
    this.#chart = chart
    this.#folder = folder
  }

  kubectl(namespace: string, ...args: readonly string[]): Promise<string> {
    return this.#server.run('kubectl', [...args, '--namespace', namespace])
  }

  async addNamespace(name: string): Promise<void> {
    await this.#server.run('kubectl', ['create', 'namespace', name])
    const levels = ['enforce', 'warn'].map(
      (mode) => `pod-security.kubernetes.io/${mode}=restricted`,
    )
    await this.#server.run('kubectl', ['label', 'namespace', name, ...levels])
  }

  /** Applies all objects, and creates each pod for a trial. */
  async accept(namespace: string, values: EdgeValues): Promise<string> {
    await this.addNamespace(namespace)
    const { title, release = 'greeting' } = values
    const args = ['template', release, ...this.#valuesOf(values.example, values.set)]
    const fixed = ['--namespace', namespace, '--kube-version', serverVersion]
    const objects = await this.#server.run('helm', [...args, ...fixed])
    const manifests = parseAllDocuments(objects).flatMap((one) => (one.toJS() as Manifest) ?? [])
    const templates = manifests.flatMap(
      ({ spec }) => spec?.template ?? spec?.jobTemplate?.spec.template ?? [],
    )
    assert.ok(templates.length > 0)
    const items = templates.map(({ metadata, spec }, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: `pod-${index}` },
      spec,
    }))
    const pods = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    try {
      await this.#server.apply(this.#file(objects), '--namespace', namespace)
      const trial = ['create', '--dry-run=server', '--validate=strict', '--filename']
      await this.kubectl(namespace, ...trial, this.#file(pods))
    } catch (error) {
      throw new Error(`the API server refuses ${title}: ${(error as Error).message}`, {
        cause: error,
      })
    }
    return `${title}: accepted. Objects: ${manifests.length}, pods: ${items.length}`
  }

  /** Runs helm, and ends the jobs and the pod that it waits for: no controller does. Returns whether helm succeeded. */
  async helm(
    namespace: string,
    action: string,
    args: readonly string[],
    outcome: Outcome = 'Complete',
  ) {
    const ended = new AbortController()
    const result = this.#server
      .run('helm', [action, ...args, '--namespace', namespace])
      .finally(() => ended.abort())
    const settled = result.then(
      () => true,
      () => false,
    )
    while (!ended.signal.aborted) {
      await this.#endJobs(namespace, outcome)
      if (action === 'test') await this.#endTestPod(namespace, outcome)
      await sleep(100)
    }
    if (outcome === 'Complete') await result
    return settled
  }

  upgrade(
    namespace: string,
    release: string,
    example: string,
    set: readonly string[],
    outcome?: Outcome,
  ) {
    const args = ['--install', release, ...this.#valuesOf(example, set)]
    return this.helm(namespace, 'upgrade', args, outcome)
  }

  async #endJobs(namespace: string, outcome: Outcome): Promise<void> {
    const { items } = JSON.parse(await this.kubectl(namespace, 'get', 'jobs', '--output=json'))
    for (const { metadata, status } of items) {
      if (status.conditions !== undefined) continue
      const now = new Date().toISOString()
      const types = outcome === 'Complete' ? ['SuccessCriteriaMet'] : ['FailureTarget']
      const conditions = [...types, outcome].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: now,
      }))
      const done = outcome === 'Complete' ? { succeeded: 1, completionTime: now } : {}
      const patch = JSON.stringify({ status: { startTime: now, conditions, ...done } })
      const flags = ['--subresource=status', '--type=merge', '--patch', patch]
      await this.kubectl(namespace, 'patch', 'job', metadata.name, ...flags)
    }
  }

  async #endTestPod(namespace: string, outcome: Outcome): Promise<void> {
    const pods = ['--field-selector=status.phase=Pending', '--output=name']
    const name = (await this.kubectl(namespace, 'get', 'pods', ...pods)).trim()
    if (name === '') return
    const phase = outcome === 'Complete' ? 'Succeeded' : 'Failed'
    const patch = JSON.stringify({ status: { phase } })
    await this.kubectl(namespace, 'patch', name, '--subresource=status', '--patch', patch)
  }

  /** The names of all objects of a namespace. */
  async objects(namespace: string, ...filter: readonly string[]): Promise<string[]> {
    const list = ['api-resources', '--verbs=list,create', '--namespaced', '--output=name']
    const kinds = (await this.#server.run('kubectl', list)).trim().split('\n').join(',')
    const names = await this.kubectl(namespace, 'get', kinds, '--output=name', ...filter)
    return names
      .split('\n')
      .filter((name) => name !== '' && !name.startsWith('event'))
      .toSorted()
  }

  async replicas(namespace: string): Promise<string> {
    const path = '--output=jsonpath={.spec.replicas}'
    return this.kubectl(namespace, 'get', 'deployment/greeting-identity-provider', path)
  }

  #valuesOf(example: string, set: readonly string[]): string[] {
    const file = join(this.#chart, 'examples', example)
    return [this.#chart, '--values', file, ...set.flatMap((one) => ['--set-json', one])]
  }

  #file(text: string): string {
    const file = join(this.#folder, 'objects.yaml')
    writeFileSync(file, text)
    return file
  }
}

/** Installs, upgrades, fails, repeats, returns and uninstalls. */
async function lifeOfRelease(cluster: Cluster): Promise<string> {
  const namespace = 'life'
  await cluster.addNamespace(namespace)
  const upgrade = (replicas: number, outcome?: Outcome, more: readonly string[] = []) =>
    cluster.upgrade(
      namespace,
      'greeting',
      'workload-identity.yaml',
      [`identityProvider.replicas=${replicas}`, ...more],
      outcome,
    )
  await upgrade(2)
  const installed = await cluster.objects(namespace)
  const pod = 'pod/greeting-test'
  assert.equal(await cluster.helm(namespace, 'test', ['greeting'], 'Failed'), false)
  assert.deepEqual(await cluster.objects(namespace), [...installed, pod].toSorted())
  await cluster.helm(namespace, 'test', ['greeting'])
  assert.deepEqual(await cluster.objects(namespace), installed, 'helm test must leave nothing')
  await upgrade(4)
  assert.equal(await upgrade(6, 'Failed'), false)
  assert.equal(
    await cluster.replicas(namespace),
    '4',
    'a failed job must leave the pods as they are',
  )
  await upgrade(6)
  assert.equal(await cluster.replicas(namespace), '6')
  await upgrade(2, 'Complete', ['identityProvider.autoscaling.enabled=true'])
  assert.equal(await cluster.replicas(namespace), '6', 'autoscaling must begin with the live pods')
  await cluster.helm(namespace, 'rollback', ['greeting', '1'])
  assert.equal(await cluster.replicas(namespace), '2')
  await cluster.helm(namespace, 'uninstall', ['greeting'])
  const left = await cluster.objects(namespace)
  assert.deepEqual(left, ['secret/greeting-administrator'], 'objects are left after helm uninstall')
  return `install, failed test, test, upgrade, failed job, retry, autoscaling, rollback and uninstall: of ${installed.length} objects, ${left.length} is left, as the guide says`
}

/** Uninstalls one of two releases of a namespace. */
async function twoReleases(cluster: Cluster): Promise<string> {
  const namespace = 'two'
  await cluster.addNamespace(namespace)
  for (const release of ['greeting', 'staging'])
    await cluster.upgrade(namespace, release, 'production.yaml', [])
  const ofStaging = ['--selector', 'app.kubernetes.io/instance=staging']
  const before = await cluster.objects(namespace, ...ofStaging)
  assert.ok(before.length > 0)
  await cluster.helm(namespace, 'uninstall', ['greeting'])
  assert.deepEqual(await cluster.objects(namespace, ...ofStaging), before)
  return `two releases in one namespace: ${before.length} objects of the second stay when the first is uninstalled`
}
