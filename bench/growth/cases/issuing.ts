import { measureLoad, opensslSpeed } from '../../harness/load.ts'
import { presentPrograms } from '../../harness/programs.ts'
import { median } from '../../harness/results.ts'
import type { GrowthCase } from '../growth-case.ts'
import type { Latency } from '../latency.ts'
import { pacedLoad } from '../load/paced-load.ts'
import {
  connections,
  type OneCoreServer,
  shareOfCapacity,
  startBareServer,
  startOneCoreIssuer,
} from '../one-core-issuer.ts'
import { leastStolen } from '../stolen-time.ts'
import { seed } from '../stores.ts'

const turnSeconds = 2
/** Without it, the server would compile its code in the first turns. */
const warmUpSeconds = 20
const rounds = 3

type Turn = {
  readonly tokensPerSecond: number
  readonly cpuSeconds: number
  readonly signaturesPerSecond: number | undefined
}

/** Issues tokens on one core, in turns with the signatures of openssl. */
export const issuing: GrowthCase = {
  id: 'issuing',
  title: 'tokens on one core; the load has another core',
  usesStore: true,
  goals: [
    { what: 'tokens to signatures of openssl', atLeast: 0.8 },
    { what: 'p99 at 60 % of capacity', atMost: 10 },
  ],
  async run(context) {
    const {
      sizes: [size = 0],
      seconds,
      isTiny,
      progress,
    } = context
    const hasOpenssl = presentPrograms().has('openssl')
    const issuer = await startOneCoreIssuer(context, size)
    const { server, cores, issue } = issuer
    const turn = isTiny ? 1 : turnSeconds
    progress('tokens in turns with openssl')
    await issue(isTiny ? 1 : warmUpSeconds)
    const turns: Turn[] = []
    for (let round = 0; round < (isTiny ? 1 : rounds); round += 1) {
      turns.push(
        await leastStolen(async () => {
          const before = await server.metrics()
          const tokensPerSecond = await issue(turn)
          const cpuSeconds = (await server.metrics()).cpuSeconds - before.cpuSeconds
          const command = opensslSpeed({ url: '' }, { connections, seconds: turn })
          const signaturesPerSecond = hasOpenssl
            ? (await measureLoad(command, cores, false)).requestsPerSecond
            : undefined
          return { tokensPerSecond, cpuSeconds, signaturesPerSecond }
        }),
      )
    }
    const capacity = median(turns.map(({ tokensPerSecond }) => tokensPerSecond))
    const cpuOfToken = turns.map((one) => (one.cpuSeconds * 1e6) / (one.tokensPerSecond * turn))
    const signatures = turns.flatMap(({ signaturesPerSecond }) => signaturesPerSecond ?? [])
    const ratios = turns.flatMap(({ tokensPerSecond, signaturesPerSecond }) =>
      signaturesPerSecond === undefined ? [] : tokensPerSecond / signaturesPerSecond,
    )
    progress('tokens at 60 % of capacity')
    const load = { clients: size, seconds: 2 * seconds }
    const latency = await latencyOf(issuer, capacity, load)
    await issuer.stop()
    progress('the same with a bare server')
    const bare = await startBareServer(context)
    await bare.issue(turn)
    const bareCapacity = median([await bare.issue(turn), await bare.issue(turn)])
    const bareLatency = await latencyOf(bare, bareCapacity, load)
    await bare.stop()
    return {
      figures: [
        { what: 'tokens', size, unit: '/s', value: capacity },
        { what: 'CPU of a token', size, unit: 'us', value: median(cpuOfToken) },
        ...(ratios.length === 0
          ? []
          : [
              {
                ...{ what: 'signatures of openssl', size, unit: '/s' as const },
                value: median(signatures),
              },
              {
                ...{ what: 'tokens to signatures of openssl', size, unit: 'x' as const },
                value: median(ratios),
              },
              {
                ...{ what: 'bare server: the same', size, unit: 'x' as const },
                value: bareCapacity / median(signatures),
              },
            ]),
        { what: 'p99 at 60 % of capacity', size, unit: 'ms', value: latency.p99Ms },
        { what: 'bare server: p99 at 60 %', size, unit: 'ms', value: bareLatency.p99Ms },
      ],
      latencies: [
        { size, ...latency, beside: `nothing, at ${rateOf(capacity)}/s` },
        { size, ...bareLatency, beside: `nothing, bare, at ${rateOf(bareCapacity)}/s` },
      ],
    }
  },
}

const rateOf = (capacity: number) => Math.max(1, Math.round(capacity * shareOfCapacity))

/** Latencies at 60 % of a capacity, after each client was loaded once. */
async function latencyOf(
  { url }: OneCoreServer,
  capacity: number,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<Latency> {
  const perSecond = rateOf(capacity)
  const warmUpSeconds = Math.ceil(clients / perSecond) + 1
  const load = { url, seed, clients, perSecond, seconds, warmUpSeconds }
  const latency = await leastStolen(() => pacedLoad(load))
  if (latency.failures > 0) throw new Error(`${latency.failures} token requests failed`)
  return latency
}
