import { GraphRefusalError } from '@greeting/registrations/apply'
import { CommandFailure } from '../exit-codes.ts'

type Row = {
  readonly is: (refusal: GraphRefusalError) => boolean
  readonly remedy: string
}

const again = 'Completed changes stay. Fix the problem, and apply the file again.'

/** The action that fixes a refusal of the directory. */
const remedies: readonly Row[] = [
  {
    is: ({ status }) => status === 412,
    remedy:
      'The object was changed after it was read. Nothing was overwritten. Run the plan again.',
  },
  {
    is: ({ graphCode, reason }) =>
      graphCode === 'HostNameNotOnVerifiedDomain' || /identifier URI/.test(reason),
    remedy: `An identifier URI must contain the application ID, the tenant ID, or a verified domain, unless the API requests tokens of version 2. api://{applicationId} is always valid. ${again}`,
  },
  {
    is: ({ graphCode }) => graphCode === 'Directory_QuotaExceeded',
    remedy: `Remove and purge what nobody needs: deleted applications count until their purge. Or ask the operator for a larger quota. ${again}`,
  },
  {
    is: ({ reason }) => /same value for property identifierUris/.test(reason),
    remedy: `Another application has this identifier URI. A deleted application keeps it until its purge. ${again}`,
  },
]

/** Converts a refusal to a command failure with a remedy; returns any other error unchanged. */
export function refusalFailure(error: unknown): unknown {
  if (!(error instanceof GraphRefusalError)) return error
  const remedy = remedies.find(({ is }) => is(error))?.remedy ?? again
  return new CommandFailure('failed', refusalText(error), { cause: error, remedy })
}

/** The message of a refusal, with the request ID that finds it in the logs of the directory. */
export function refusalText({ message, requestId }: GraphRefusalError): string {
  return requestId ? `${message} (request ${requestId})` : message
}
