import { type CallOptions, type GreetingClient, greetings } from '@greeting/client'
import type { Command } from 'commander'
import type { Job, TakeJob } from '../../client/connection.ts'

type Greet = (...args: readonly (string | CallOptions)[]) => Promise<string>

/** `greeting hi`, `greeting hello`: each calls one greeting, with an option for each parameter. */
export const addGreetingCommand =
  (name: keyof GreetingClient) =>
  (program: Command, take: TakeJob): Command => {
    const { role, parameters } = greetings[name]
    const command = program
      .command(name)
      .description(`call ${name}, which requires the app role ${role}`)
    for (const one of parameters)
      command.requiredOption(`--${one} <${one}>`, `${one} in the greeting`)
    return command.action((options: Readonly<Record<string, string>>) => {
      const texts = parameters.map((one) => options[one] ?? '')
      const perform: Job['perform'] = async ({ greetings: client }, signal) => {
        const greeting = await (client[name] as Greet)(...texts, { signal })
        return { text: `${greeting}\n`, json: { greeting } }
      }
      return take({ title: name, perform }, options)
    })
  }
