import { z } from 'zod'
import type { FindEndingCredentials } from '../../audit/ending-credentials.ts'
import { dateTime } from '../../directory/properties/forms.ts'
import { parseBody } from '../body/parse-body.ts'
import type { ReadOperation } from '../operations/operation.ts'
import { readsAudit } from '../privileges/server-roles.ts'
import { singleValues } from './audit-operations.ts'
import { pageLimit } from './page-limit.ts'

const credentialsQuery = z.strictObject({ from: dateTime, to: dateTime, limit: pageLimit })

/** The ends of credentials. Microsoft Graph has them in a report of the beta version. */
export const credentialOperations = (find: FindEndingCredentials): readonly ReadOperation[] => [
  {
    method: 'GET',
    path: '/credentials',
    requires: readsAudit,
    summary:
      "Lists the secrets and certificates of the caller's tenant that end between `from` and `to`, the first end first.",
    read: async ({ caller, query }) => {
      const { from, to, limit } = parseBody(credentialsQuery, singleValues(query))
      const found = await find(caller.tenantId, from, to, limit)
      const value = found.map((one) => ({ ...one, endDateTime: one.endDateTime.toISOString() }))
      return { status: 200, body: { value } }
    },
  },
]
