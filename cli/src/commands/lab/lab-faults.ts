import type { Command } from 'commander'
import { z } from 'zod'
import type { Terminal } from '../../terminal.ts'
import { addNameValue, type NameValues } from '../../text/name-value.ts'
import { textTable } from '../../text/text-table.ts'
import { type AdministratorCommandOptions, administratorCommand } from '../administrator-command.ts'
import { requestLab, wholeNumber } from './lab-request.ts'

const labFault = z.looseObject({
  id: z.string(),
  fault: z.string(),
  at: z.string(),
  applied: z.number(),
  isArmed: z.boolean(),
})
const labFaults = z.object({ value: z.array(labFault) })

type AddOptions = AdministratorCommandOptions & {
  readonly at: string
  readonly with?: NameValues
  readonly times?: number
  readonly seconds?: number
  readonly client?: string
  readonly run?: string
}

/** `greeting lab faults`: breaks answers of the identity provider. */
export function addFaultCommands(lab: Command, terminal: Terminal): void {
  const faults = lab.command('faults').description('break answers of the identity provider')

  administratorCommand(faults.command('add'))
    .description('arm a fault for one request, or for --times or --seconds')
    .argument('<fault>', 'name of the fault, such as status')
    .requiredOption('--at <endpoint>', 'token, keys, discovery or graph')
    .option('--with <name=value>', 'a parameter of the fault; may be repeated', addNameValue)
    .option('--times <n>', 'number of requests', wholeNumber)
    .option('--seconds <n>', 'duration on the clock of the lab', wholeNumber)
    .option('--client <id>', 'only token requests of this client')
    .option('--run <id>', 'only requests with this value of the header x-greeting-run')
    .action(async (fault: string, options: AddOptions) => {
      const { at, with: parameters, times, seconds, client, run, json } = options
      const body = { ...parameters, fault, at, times, seconds, client, run }
      const answer = await requestLab(terminal, options, { method: 'POST', path: '/faults', body })
      const { id } = labFault.parse(answer)
      terminal.out(json ? `${JSON.stringify(answer)}\n` : `Fault ${id} is armed.\n`)
    })

  administratorCommand(faults.command('list'))
    .description('list the faults, with the number of requests that each has met')
    .action(async (options: AdministratorCommandOptions) => {
      const answer = await requestLab(terminal, options, { method: 'GET', path: '/faults' })
      const { value } = labFaults.parse(answer)
      terminal.out(options.json ? `${JSON.stringify(value)}\n` : textOf(value))
    })

  administratorCommand(faults.command('clear'))
    .description('remove all faults')
    .action(async (options: AdministratorCommandOptions) => {
      await requestLab(terminal, options, { method: 'DELETE', path: '/faults' })
      terminal.out(options.json ? '[]\n' : textOf([]))
    })
}

function textOf(faults: z.output<typeof labFaults>['value']): string {
  if (faults.length === 0) return 'There are no faults.\n'
  const rows = faults.map(({ id, fault, at, applied, isArmed }) => [
    id,
    fault,
    at,
    String(applied),
    isArmed ? 'armed' : 'used up',
  ])
  return textTable(['id', 'fault', 'at', 'applied', 'state'], rows)
}
