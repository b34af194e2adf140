import type { GreetingClient } from '@greeting/client'
import type { Command } from 'commander'
import type { Job, TakeJob } from '../../client/connection.ts'

const greet = (
  title: string,
  call: (greetings: GreetingClient, signal?: AbortSignal) => Promise<string>,
): Job => ({
  title,
  perform: async ({ greetings }, signal) => {
    const greeting = await call(greetings, signal)
    return { text: `${greeting}\n`, json: { greeting } }
  },
})

/** `greeting hi`: calls `GET /api/v1/hi`. */
export function addHiCommand(program: Command, take: TakeJob): Command {
  return program
    .command('hi')
    .description('call hi, which requires the app role CallHiApiRole')
    .action((options: object) =>
      take(
        greet('hi', (greetings, signal) => greetings.hi({ signal })),
        options,
      ),
    )
}

/** `greeting hello`: calls `GET /api/v1/hello?name=...`. */
export function addHelloCommand(program: Command, take: TakeJob): Command {
  return program
    .command('hello')
    .description('call hello, which requires the app role CallHelloApiRole')
    .requiredOption('--name <name>', 'name in the greeting')
    .action((options: { readonly name: string }) =>
      take(
        greet('hello', (greetings, signal) => greetings.hello(options.name, { signal })),
        options,
      ),
    )
}
