import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryFolder, runtimes } from '../../harness/programs.ts'
import { median } from '../../harness/results.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { type CommandCost, runCommand } from '../run-command.ts'
import { startSystem } from '../running-system.ts'

const greeting = join(repositoryFolder, 'cli', 'bin', 'greeting.js')
const runs = 7
const starts = 5

/** The start of the command and of the whole system, in an existing data folder. */
export const command: GrowthCase = {
  id: 'command',
  title: 'a job with a cached token, and the start of the system, median',
  usesStore: false,
  goals: [
    { what: 'greeting hi: CPU', atMost: 0.25 },
    { what: 'npm start to ready', atMost: 1.2 },
  ],
  async run({ isTiny, folder, progress }) {
    const dataDir = await mkdtemp(join(folder, 'system-'))
    // The caches of the user stay as they are.
    const environment = { XDG_CACHE_HOME: join(dataDir, 'cache'), HOME: dataDir }
    progress('npm start')
    await (await startSystem(dataDir)).stop()
    const startTimes: number[] = []
    for (let run = 0; run < (isTiny ? 1 : starts); run += 1) {
      const system = await startSystem(dataDir)
      startTimes.push(system.startToReadyMs / 1000)
      await system.stop()
    }
    const system = await startSystem(dataDir)
    progress('greeting hi')
    const hi = [...runtimes.node, greeting, 'hi', '--settings', system.clientEnvFile]
    const figures: Figure[] = [
      { what: 'npm start to ready', size: 1, unit: 's', value: median(startTimes) },
    ]
    const commands = [
      ['greeting hi', hi],
      ['node -e 0', [...runtimes.node, '-e', '0']],
    ] as const
    for (const [what, line] of commands) {
      const costs: CommandCost[] = []
      // The first run gets the token and compiles the modules.
      for (let run = -1; run < (isTiny ? 1 : runs); run += 1) {
        const cost = await runCommand(line, environment, dataDir)
        if (run >= 0) costs.push(cost)
      }
      const middle = (name: keyof CommandCost) => median(costs.map((cost) => cost[name]))
      figures.push(
        { what: `${what}: CPU`, size: 1, unit: 's', value: middle('cpuSeconds') },
        { what: `${what}: wall`, size: 1, unit: 's', value: middle('wallSeconds') },
      )
    }
    await system.stop()
    return { figures }
  },
}
