import type { Command } from 'commander'
import { examinationText, examine, exitOf } from '../doctor/examination.ts'
import { gatherFacts } from '../doctor/facts.ts'
import { exitCodes } from '../exit-codes.ts'
import { QuietExit } from '../quiet-exit.ts'
import type { Terminal } from '../terminal.ts'
import { type ClientCommandOptions, clientCommand } from './client-command.ts'

/** `greeting doctor`: walks the path that a job walks, and says what is wrong. */
export function addDoctorCommand(program: Command, terminal: Terminal): Command {
  return clientCommand(program.command('doctor'))
    .description('check each step of a job, and report what is wrong and how to fix it')
    .action(async ({ settings: file, deadline, json }: ClientCommandOptions) => {
      const findings = examine(await gatherFacts(terminal.environment, file, deadline))
      const exit = exitOf(findings)
      if (json) {
        const report = { healthy: exit === 'done', exitCode: exitCodes[exit].code, findings }
        terminal.out(`${JSON.stringify(report)}\n`)
      } else terminal.out(examinationText(findings, terminal.paint))
      if (exit !== 'done') throw new QuietExit(exit)
    })
}
