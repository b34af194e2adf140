import type { Command } from 'commander'
import { runProbes } from '../doctor/probes.ts'
import { examinationText, examine, exitOf } from '../doctor/report.ts'
import { exitCodes } from '../exit-codes.ts'
import { SilentExit } from '../silent-exit.ts'
import type { Terminal } from '../terminal.ts'
import { type ClientCommandOptions, clientCommand } from './client-command.ts'

/** `greeting doctor`: walks the path that a job walks, and says what is wrong. */
export function addDoctorCommand(program: Command, terminal: Terminal): Command {
  return clientCommand(program.command('doctor'))
    .description('check each step of a job, and report what is wrong and how to fix it')
    .action(async ({ settings: file, deadline, json }: ClientCommandOptions) => {
      const findings = examine(await runProbes(terminal.environment, file, deadline))
      const exit = exitOf(findings)
      if (json) {
        const report = { healthy: exit === 'done', exitCode: exitCodes[exit].code, findings }
        terminal.out(`${JSON.stringify(report)}\n`)
      } else terminal.out(examinationText(findings, terminal.paint))
      if (exit !== 'done') throw new SilentExit(exit)
    })
}
