import { median } from '../../harness/results.ts'
import type { GrowthCase } from '../growth-case.ts'
import type { Latency } from '../latency.ts'
import { pacedLoad } from '../load/paced-load.ts'
import {
  type Issued,
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

type Turn = Issued & { readonly signatureUs: number | undefined }

/** Issues tokens on one core, in turns with the signatures of openssl. */
export const issuing: GrowthCase = {
  id: 'issuing',
  title: 'tokens on one core; the load has another core',
  usesStore: true,
  goals: [
    { what: 'tokens to signatures of openssl, by CPU', atLeast: 0.8 },
    { what: 'p99 at 60 % of capacity', atMost: 10 },
  ],
  async run(context) {
    const {
      sizes: [size = 0],
      seconds,
      isTiny,
      progress,
    } = context
    const issuer = await startOneCoreIssuer(context, size)
    const { issue, signatureUs } = issuer
    const turn = isTiny ? 1 : turnSeconds
    progress('tokens in turns with openssl')
    await issue(isTiny ? 1 : warmUpSeconds)
    const turns: Turn[] = []
    for (let round = 0; round < (isTiny ? 1 : rounds); round += 1) {
      turns.push(
        await leastStolen(async () => ({
          ...(await issue(turn)),
          signatureUs: await signatureUs(turn),
        })),
      )
    }
    const capacity = median(turns.map(({ tokensPerSecond }) => tokensPerSecond))
    const signatures = turns.flatMap((one) => one.signatureUs ?? [])
    const ratios = turns.flatMap(({ cpuUs, signatureUs }) =>
      signatureUs === undefined ? [] : signatureUs / cpuUs,
    )
    progress('tokens at 60 % of capacity')
    const load = { clients: size, seconds: 2 * seconds }
    const latency = await latencyOf(issuer, capacity, load)
    await issuer.stop()
    progress('the same with a bare server')
    const bare = await startBareServer(context)
    await bare.issue(turn)
    const bareTurns = [await bare.issue(turn), await bare.issue(turn)]
    const bareCapacity = median(bareTurns.map(({ tokensPerSecond }) => tokensPerSecond))
    const bareLatency = await latencyOf(bare, bareCapacity, load)
    await bare.stop()
    return {
      figures: [
        { what: 'tokens', size, unit: '/s', value: capacity },
        {
          what: 'CPU of a token',
          size,
          unit: 'us',
          value: median(turns.map(({ cpuUs }) => cpuUs)),
        },
        ...(ratios.length === 0
          ? []
          : [
              {
                ...{ what: 'CPU of a signature of openssl', size, unit: 'us' as const },
                value: median(signatures),
              },
              {
                ...{ what: 'tokens to signatures of openssl, by CPU', size, unit: 'x' as const },
                value: median(ratios),
              },
              {
                ...{ what: 'bare server: the same', size, unit: 'x' as const },
                value: median(signatures) / median(bareTurns.map(({ cpuUs }) => cpuUs)),
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
