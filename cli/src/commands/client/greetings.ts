import type { Command } from 'commander'
import type { TakeJob } from '../../client/connection.ts'

/** `greeting hi`: calls `GET /api/v1/hi`. */
export function addHiCommand(program: Command, take: TakeJob): Command {
  return program
    .command('hi')
    .description('call hi, which requires the app role CallHiApiRole')
    .action((options: object) =>
      take(
        {
          title: 'hi',
          perform: async ({ greetings }, signal) => {
            const greeting = await greetings.hi({ signal })
            return { text: `${greeting}\n`, json: { greeting } }
          },
        },
        options,
      ),
    )
}

type Options = { readonly name: string }

/** `greeting hello`: calls `GET /api/v1/hello?name=...`. */
export function addHelloCommand(program: Command, take: TakeJob): Command {
  return program
    .command('hello')
    .description('call hello, which requires the app role CallHelloApiRole')
    .requiredOption('--name <name>', 'name in the greeting')
    .action((options: Options) =>
      take(
        {
          title: 'hello',
          perform: async ({ greetings }, signal) => {
            const greeting = await greetings.hello(options.name, { signal })
            return { text: `${greeting}\n`, json: { greeting } }
          },
        },
        options,
      ),
    )
}
