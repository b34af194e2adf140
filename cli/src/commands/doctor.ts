import type { Command } from 'commander'
import { runProbes } from '../doctor/probes.ts'
import { checkAll, exitOf, reportText } from '../doctor/report.ts'
import { exitCodes, SilentExit } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { type ClientCommandOptions, clientCommand } from './client/client-command.ts'

/** `greeting doctor`: checks each step of a job, and reports the faults. */
export function addDoctorCommand(program: Command, terminal: Terminal): Command {
  return clientCommand(program.command('doctor'))
    .description('check each step of a job, and report what is wrong and how to fix it')
    .action(async ({ settings: file, deadline, json }: ClientCommandOptions) => {
      const checks = checkAll(await runProbes(terminal.environment, file, deadline))
      const exit = exitOf(checks)
      if (json) {
        const report = { healthy: exit === 'done', exitCode: exitCodes[exit].code, checks }
        terminal.out(`${JSON.stringify(report)}\n`)
      } else terminal.out(reportText(checks, terminal.paint))
      if (exit !== 'done') throw new SilentExit(exit)
    })
}
