import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { pageMark } from '../../test/fixtures/generated-files.ts'
import { type Command, runbooks, type Service } from './runbooks.ts'

/** A Prometheus rule. */
export type Rule = {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: { readonly summary: string; readonly runbook_url: string }
}
type RuleFile = { readonly groups: readonly { readonly rules: readonly Rule[] }[] }

const chart = join(import.meta.dirname, '../chart')
const rulesOf = ({ groups }: RuleFile) => groups.flatMap(({ rules }) => rules)

/** The rules of the chart file, before the chart changes them. */
export const plainRules = rulesOf(parse(readFileSync(join(chart, 'files/rules.yaml'), 'utf8')))

const ofChart = parseAllDocuments(readFileSync(join(chart, 'golden/production.yaml'), 'utf8'))
  .map((document) => document.toJS())
  .find((object) => object?.kind === 'PrometheusRule')

/** Each alert, including those that only the chart has. */
export const alertRules: readonly Rule[] = [...plainRules, ...rulesOf(ofChart.spec)].filter(
  ({ alert }, index, all) => alert && all.findIndex((rule) => rule.alert === alert) === index,
)

/** The name of a service as a unit of systemd, a Deployment of the chart, and the start of a log. */
const nameOf = (service: Service) => `greeting-${service}`
const logOf = (service: Service) => `${service}.log`
const metricsPort = (service: Service) => (service === 'api' ? 9465 : 9464)
const publicPort = (service: Service) => (service === 'api' ? 3000 : 4000)

const kubectl = 'kubectl --namespace identity'
const podsOf = (service: Service) =>
  `--selector app.kubernetes.io/instance=greeting,app.kubernetes.io/component=${service}`
const metrics = (port: number, pattern: string) =>
  `curl -s http://127.0.0.1:${port}/metrics | grep -E '^(${pattern})'`
const failures = `grep -E '"level":[456]0'`
const administrator = `${kubectl} get secret greeting-administrator --output go-template='{{index .data "administrator.env" | base64decode}}'`

/** A command for each of the places where the services run. */
function formsOf(command: Command): readonly [shell: string, systemd: string, kubernetes: string] {
  if ('places' in command) return command.places
  if ('greeting' in command) {
    const words = `greeting ${command.greeting}`
    const file = '--settings /var/lib/greeting-identity-provider/administrator.env'
    const pod = `${kubectl} exec --stdin deployment/greeting-identity-provider`
    const here = '--settings - --server http://127.0.0.1:4000'
    return [
      `npx --no-install ${words}`,
      `npx --no-install ${words} ${file}`,
      `${administrator} | ${pod} -- ${words} ${here}`,
    ]
  }
  const { service } = command
  const unit = nameOf(service)
  if ('metrics' in command) {
    const local = metrics(metricsPort(service), command.metrics)
    const forward = `${kubectl} port-forward deployment/${unit} ${metricsPort(service)}:9464`
    return [local, local, `${forward} > /dev/null & sleep 2; ${local}; kill $!`]
  }
  if (command.show === 'failures')
    return [
      `${failures} ${logOf(service)} | tail -n 20`,
      `journalctl --unit ${unit} --since -1h --output cat | ${failures} | tail -n 20`,
      `${kubectl} logs ${podsOf(service)} --prefix --since 1h --tail -1 | ${failures} | tail -n 20`,
    ]
  return [
    `curl -si http://127.0.0.1:${publicPort(service)}/readyz; tail -n 5 ${logOf(service)}`,
    `systemctl status ${unit} --no-pager --lines 5`,
    `${kubectl} get pods ${podsOf(service)}; ${kubectl} logs ${podsOf(service)} --prefix --tail 5`,
  ]
}

const places = ['shell', 'systemd', 'Kubernetes'] as const

/** The commands of an alert, for each kind of host. */
export const commandsOf = (alert: string): readonly (readonly string[])[] =>
  places.map((_, place) =>
    (runbooks[alert]?.commands ?? []).map((command) => formsOf(command)[place] ?? ''),
  )

const section = ({ alert = '', labels, annotations }: Rule) => `## ${alert}

${annotations?.summary} (\`${labels?.severity}\`).

\`\`\`sh
${places.map((place, index) => `# ${place}\n${commandsOf(alert)[index]?.join('\n')}\n`).join('')}\`\`\`

${runbooks[alert]?.text}
`

export const file = 'docs/guides/runbooks.md'

export const text = `${pageMark}
# Runbooks

[Alerts](operating.md#alerts) describes the severities and the objectives.

In a shell, the services write to \`identity-provider.log\` and \`api.log\`, and have \`METRICS_PORT\` 9464 and 9465. The commands for systemd have the same ports.
Those for Kubernetes have the release \`greeting\` in the namespace \`identity\`.

${alertRules.map(section).join('\n')}`
