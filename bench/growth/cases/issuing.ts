import { measureLoad, opensslSpeed } from '../../harness/load.ts'
import { presentPrograms } from '../../harness/programs.ts'
import { median } from '../../harness/results.ts'
import type { GrowthCase } from '../growth-case.ts'
import { pacedLoad } from '../load/paced-load.ts'
import { connections, shareOfCapacity, startOneCoreIssuer } from '../one-core-issuer.ts'
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
    const perSecond = Math.max(1, Math.round(capacity * shareOfCapacity))
    const load = { url: server.url, seed, clients: size, perSecond, seconds: 2 * seconds }
    // Until each client was loaded once.
    const latency = await leastStolen(() =>
      pacedLoad({ ...load, warmUpSeconds: Math.ceil(size / perSecond) + 1 }),
    )
    await issuer.stop()
    if (latency.failures > 0) throw new Error(`${latency.failures} token requests failed`)
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
            ]),
        { what: 'p99 at 60 % of capacity', size, unit: 'ms', value: latency.p99Ms },
      ],
      latencies: [{ size, beside: `nothing, at ${perSecond}/s`, ...latency }],
    }
  },
}
