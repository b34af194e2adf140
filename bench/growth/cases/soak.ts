import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import type { LatencyTable } from '../latency.ts'
import { pacedLoad } from '../load/paced-load.ts'
import { shareOfCapacity, startOneCoreIssuer } from '../one-core-issuer.ts'
import { seed } from '../stores.ts'

const minutes = 20
const minuteSeconds = 60
const capacitySeconds = 10
/** The minutes whose memory and descriptors have a column. */
const shownMinutes = [1, 5, 10, 15, 20]

/** Issues tokens at a constant rate for a long time, on one core. */
export const soak: GrowthCase = {
  id: 'soak',
  title: `tokens for ${minutes} minutes at 60 % of the capacity of one core; the size is the minute`,
  usesStore: true,
  isOnRequest: true,
  goals: [
    { what: 'resident memory', atMost: 350 },
    { what: 'open descriptors', ratioAtMost: 1.2 },
  ],
  async run(context) {
    const {
      sizes: [size = 0],
      isTiny,
      progress,
    } = context
    const issuer = await startOneCoreIssuer(context, size)
    const seconds = isTiny ? 1 : capacitySeconds
    // The first load warms up the server.
    await issuer.issue(seconds)
    const perSecond = Math.max(
      1,
      Math.round((await issuer.issue(seconds)).tokensPerSecond * shareOfCapacity),
    )
    const load = { url: issuer.url, seed, clients: size, perSecond }
    const figures: Figure[] = []
    const latencies: LatencyTable[number][] = []
    for (let minute = 1; minute <= (isTiny ? 2 : minutes); minute += 1) {
      progress(`minute ${minute}, ${perSecond} tokens a second`)
      const latency = await pacedLoad({ ...load, seconds: isTiny ? 1 : minuteSeconds })
      if (latency.failures > 0) throw new Error(`${latency.failures} token requests failed`)
      latencies.push({ size, beside: `nothing, minute ${minute}, at ${perSecond}/s`, ...latency })
      const { residentMb, value } = await issuer.metrics()
      if (!shownMinutes.includes(minute)) continue
      const descriptors = value('process_open_fds')
      figures.push(
        { what: 'resident memory', size: minute, unit: 'MB', value: residentMb },
        { what: 'open descriptors', size: minute, unit: 'count', value: descriptors },
        { what: 'p99 of the minute', size: minute, unit: 'ms', value: latency.p99Ms },
      )
    }
    await issuer.stop()
    return { figures, latencies }
  },
}
