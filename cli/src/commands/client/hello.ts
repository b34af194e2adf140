import type { Command } from 'commander'
import type { TakeJob } from '../../job.ts'

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
