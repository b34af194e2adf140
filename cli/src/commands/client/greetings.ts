import type { Command } from 'commander'
import type { TakeJob } from '../../job.ts'

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
