import { GraphRefusalError, parseAnswer } from '@greeting/registrations/apply'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { graphClientOf } from '../../administrator/administrator-settings.ts'
import type { GraphClient } from '../../administrator/graph-client.ts'
import { CommandFailure } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'
import {
  type AdministratorCommandOptions,
  administratorCommand,
  orCommandFailure,
  printResult,
  readAdministrator,
  requireYes,
} from '../administrator-command.ts'

type Options = AdministratorCommandOptions & { readonly oldSecrets?: true; readonly yes?: true }

const application = z.object({
  id: z.guid(),
  passwordCredentials: z.array(z.object({ keyId: z.guid(), startDateTime: z.iso.datetime() })),
})

const role = 'Application.ReadWrite.All'

function applicationId(text: string): string {
  if (z.guid().safeParse(text).success) return text.toLowerCase()
  throw new InvalidArgumentError('It must be an application ID, a GUID')
}

/** `greeting registrations remove`: what to do after the leak of a credential. */
export function addRemoveCommand(registrations: Command, terminal: Terminal): void {
  administratorCommand(registrations.command('remove'))
    .description(
      'remove an application for ever, so that it cannot be restored with its credentials',
    )
    .argument('<application-id>', 'ID of the application or of the agent', applicationId)
    .option('--old-secrets', 'remove its secrets only, except the latest one')
    .option('--yes', 'do not ask for confirmation')
    .action(async (appId: string, options: Options) => {
      const settings = await readAdministrator(terminal, options)
      const graph = graphClientOf(settings, { signal: terminal.stop })
      await confirm(terminal, appId, options)
      const removing = options.oldSecrets ? removeOldSecrets : removeForEver
      const text = await orCommandFailure(removing(graph, appId))
      printResult(terminal, options, { applicationId: appId, done: text }, `${appId}: ${text}.\n`)
    })
}

async function confirm({ ask }: Terminal, appId: string, { yes, oldSecrets }: Options) {
  if (yes) return
  const what = `${oldSecrets ? `The older secrets of ${appId} stop` : `${appId} stops`} working now.`
  if (ask === undefined) {
    const remedy = 'Nothing was changed. Use --yes to confirm.'
    throw new CommandFailure('bad_usage', `${what} Confirmation needs a terminal.`, { remedy })
  }
  await requireYes(ask, `${what}\nContinue? (yes or no) `)
}

async function read(graph: GraphClient, appId: string) {
  const line = { method: 'GET', path: `/applications(appId='${appId}')` } as const
  const { body } = await graph.send({ ...line, repeatable: true })
  return parseAnswer(line, application, body)
}

async function removeOldSecrets(graph: GraphClient, appId: string): Promise<string> {
  const { id, passwordCredentials } = await read(graph, appId)
  const [, ...older] = passwordCredentials.toSorted((a, b) =>
    b.startDateTime.localeCompare(a.startDateTime),
  )
  const path = `/applications/${id}/removePassword`
  for (const { keyId } of older) await graph.send({ method: 'POST', path, role, body: { keyId } })
  return `${older.length} secrets are removed`
}

/** A deleted application or agent could be restored for 30 days. */
async function removeForEver(graph: GraphClient, appId: string): Promise<string> {
  const { id, set } = await read(graph, appId).then(
    (found) => ({ id: found.id, set: 'applications' }),
    (refusal) => readAgent(graph, appId, refusal),
  )
  await graph.send({ method: 'DELETE', path: `/${set}/${id}`, role })
  const path = `/directory/deletedItems/${id}`
  await graph.send({ method: 'DELETE', path, role, expectsLag: true })
  return 'it is removed for ever'
}

/** An agent has no application. Its ID is its application ID. */
async function readAgent(graph: GraphClient, id: string, cause: unknown) {
  if (!(cause instanceof GraphRefusalError) || cause.status !== 404) throw cause
  const path = `/servicePrincipals/${id}/microsoft.graph.agentIdentity`
  await graph.send({ method: 'GET', path, repeatable: true }).catch(() => {
    throw cause
  })
  return { id, set: 'servicePrincipals' }
}
