import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mustRun, run } from '../../test/packages/program.ts'
import { badValues } from './bad-values.ts'
import type { Check } from './check.ts'
import { edgeValues } from './edge-values.ts'

/** The version of Kubernetes for which the golden files are rendered. */
export const kubernetesVersion = '1.34.0'

const examplesOf = (root: string) => readdirSync(join(root, 'deploy/chart/examples')).toSorted()

function template(
  root: string,
  example: string,
  set: readonly string[],
  flag = '--set',
  chart = join(root, 'deploy/chart'),
) {
  const fixed = ['--namespace', 'identity', '--kube-version', kubernetesVersion]
  const values = ['--values', join(chart, 'examples', example)]
  const sets = set.flatMap((one) => [flag, one])
  return run('helm', ['template', 'greeting', chart, ...fixed, ...values, ...sets], root)
}

/** The words after an installation. helm shows them with a cluster only, so a copy of the chart has them in an object. */
function notes(root: string, example: string, set: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-notes-'))
  try {
    cpSync(join(root, 'deploy/chart'), folder, { recursive: true })
    const text = readFileSync(join(folder, 'templates/NOTES.txt'), 'utf8')
    const object = `{{ define "notes" }}${text}{{ end }}\nnotes: |\n{{ include "notes" . | indent 2 }}`
    writeFileSync(join(folder, 'templates/notes.yaml'), object)
    const { stdout, stderr } = template(root, example, set, '--set', folder)
    return stdout.slice(stdout.indexOf('\nnotes: |')).split('\n---\n')[0] || stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the words after an installation contain, and what they do not. */
const nextSteps: readonly (readonly [
  example: string,
  set: readonly string[],
  has: readonly string[],
  lacks: readonly string[],
])[] = [
  [
    'minimal.yaml',
    [],
    ['secret greeting-administrator', 'Next, register an API', 'No job makes backups'],
    ['port-forward', 'The API is', 'rate limit'],
  ],
  [
    'workload-identity.yaml',
    ['identityProvider.ingress.enabled=true', 'identityProvider.ingress.host=login.example.com'],
    ['rate limit: set identityProvider'],
    [],
  ],
  [
    'production.yaml',
    [],
    ['secret greeting-clients', '--from cronjob/greeting-backup', 'from this identity provider'],
    ['Next, register', 'port-forward'],
  ],
  ['api.yaml', [], ['from https://login.microsoftonline.com'], ['administrator', 'backup']],
  [
    'minimal.yaml',
    ['identityProvider.ingress.enabled=false', 'identityProvider.bootstrap.enabled=false'],
    ['port-forward service/greeting-identity-provider 4000', 'No job creates an administrator'],
    ['secret greeting-administrator'],
  ],
]

/** Renders each example, compares it with its golden file, and checks the message for each bad value. */
export const chart: Check = {
  name: 'chart',
  programs: ['helm'],
  run: async (root, environment) => {
    const isUpdate = environment.UPDATE_GOLDEN === 'yes'
    for (const example of examplesOf(root)) {
      const values = join(root, 'deploy/chart/examples', example)
      mustRun('helm', ['lint', '--strict', join(root, 'deploy/chart'), '--values', values], root)
      const { status, stdout, stderr } = template(root, example, [])
      assert.equal(status, 0, stderr)
      const golden = join(root, 'deploy/chart/golden', example)
      if (isUpdate) writeFileSync(golden, stdout)
      assert.equal(
        stdout,
        readFileSync(golden, 'utf8'),
        `${example} renders otherwise than deploy/chart/golden/${example}. If that is right, run: UPDATE_GOLDEN=yes npm run test:deploy -- chart`,
      )
    }
    const [names = [], others = []] = ['1', '2'].map((end) => {
      const long = template(root, 'minimal.yaml', [`nameOverride=${'n'.repeat(39)}${end}`]).stdout
      return [...long.matchAll(/^ {2}name: (.+)$/gm)].map(([, name = '']) => name)
    })
    assert.ok(names.length > 0)
    assert.deepEqual(
      names.filter((name) => name.length > 63 || others.includes(name)),
      [],
    )
    for (const { problem, set, message } of badValues) {
      const { status, stderr } = template(root, 'minimal.yaml', set)
      assert.notEqual(status, 0, `${problem} is accepted`)
      assert.ok(stderr.includes(message), `${problem}: ${stderr}`)
    }
    for (const { title, example, set, lines = {} } of edgeValues) {
      const { stdout } = template(root, example, set, '--set-json')
      const all = stdout.split('\n').map((line) => line.replace(/^[ -]+/, '').trim())
      const counts = Object.keys(lines).map((one) => [
        one,
        all.filter((line) => line === one).length,
      ])
      assert.deepEqual(Object.fromEntries(counts), lines, title)
    }
    for (const [example, set, has, lacks] of nextSteps) {
      const text = notes(root, example, set)
      const wrong = [
        ...has.filter((one) => !text.includes(one)),
        ...lacks.filter((one) => text.includes(one)),
      ]
      assert.deepEqual(wrong, [], `${example} ${set.join()}: ${text}`)
    }
    return [
      `${examplesOf(root).length} examples pass helm lint, and render as their golden files`,
      'the longest names of a release fit into the name of a Service, and stay apart',
      `the words after an installation name the next steps of ${nextSteps.length} arrangements`,
      `each of ${badValues.length} bad values is refused with its message`,
    ]
  },
}

/** The public schemas. KUBERNETES_SCHEMAS replaces them, for example by a folder: its form is that of kubeconform. */
const publicSchemas = [
  'default',
  'https://raw.githubusercontent.com/datreeio/CRDs-catalog/main/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json',
]

const publicSchema = `https://raw.githubusercontent.com/yannh/kubernetes-json-schema/master/v${kubernetesVersion}-standalone-strict/service-v1.json`

/** Validates the rendered examples with the schemas of Kubernetes, the Gateway API and the Prometheus Operator. */
export const chartSchemas: Check = {
  name: 'chart-schemas',
  programs: ['helm', 'kubeconform'],
  lacks: async ({ KUBERNETES_SCHEMAS: own }) => {
    const isReached =
      own !== undefined ||
      (await fetch(publicSchema).then(
        ({ ok }) => ok,
        () => false,
      ))
    return isReached ? undefined : `${new URL(publicSchema).host}, or schemas in KUBERNETES_SCHEMAS`
  },
  run: async (root, environment) => {
    const schemas = environment.KUBERNETES_SCHEMAS?.split(',') ?? publicSchemas
    const locations = schemas.flatMap((schema) => ['-schema-location', schema])
    const folder = mkdtempSync(join(tmpdir(), 'greeting-chart-'))
    try {
      return examplesOf(root).map((example) => {
        writeFileSync(join(folder, example), template(root, example, []).stdout)
        const flags = ['-strict', '-summary', '-kubernetes-version', kubernetesVersion]
        const summary = mustRun('kubeconform', [...flags, ...locations, example], folder)
        return `${example}: ${summary.trim().replace(/^Summary: /, '')}`
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}
