import { availableParallelism, cpus, loadavg } from 'node:os'

// `npm run measure -w packages/testing` prints the times of a start and of a reset. The CPU time depends less on other programs.

const rounds = 50

const loadStartedMs = performance.now()
const { startEntra } = await import('../src/index.ts')
const loadMs = performance.now() - loadStartedMs

const registrations = {
  apis: { 'Orders API': { roles: ['Orders.Read'] } },
  clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
} as const

const start = () => startEntra({ registrations })
const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

/** The wall time and the CPU time of each call, in milliseconds. */
async function measure(work: () => Promise<unknown>, tidy = async () => {}) {
  const wallMs: number[] = []
  const cpuMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now()
    const cpu = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(cpu)
    wallMs.push(performance.now() - startedMs)
    cpuMs.push((user + system) / 1000)
    await tidy()
  }
  return { wallMs: median(wallMs), cpuMs: median(cpuMs), firstMs: wallMs[0] ?? 0 }
}

let entra: Awaited<ReturnType<typeof start>> | undefined
const starts = await measure(
  async () => {
    entra = await start()
  },
  async () => entra?.stop(),
)
await using used = await start()
const resets = await measure(
  () => used.reset(),
  async () => void (await used.client('Payroll job').token()),
)

const tests = await measure(async () => {
  await used.client('Payroll job').token()
  await used.reset()
})

const row = (name: string, { wallMs, cpuMs, firstMs }: typeof starts) =>
  `| ${name} | ${[wallMs, cpuMs, firstMs].map((ms) => `${ms.toFixed(1)} ms`).join(' | ')} |`
console.log(`Node ${process.version}, ${availableParallelism()} of ${cpus()[0]?.model},`)
console.log(
  `load average ${loadavg()[0]?.toFixed(1)}. The modules were loaded in ${loadMs.toFixed(0)} ms.\n`,
)
console.log(`| of ${rounds} | median | median of CPU time | first |\n|---|---:|---:|---:|`)
console.log(row('start', starts))
console.log(row('reset', resets))
console.log(row('token request and reset', tests))
