import { put } from '@greeting/directory'
import { application, guid } from '../../../../../test/fixtures/directory/sample.ts'
import { allGraphRoles, type Body, sampleGraph } from '../sample-graph.ts'

export const names = ["O'Brien's", 'Alpha', 'alpha', 'Beta', 'Gamma']

/** A management API with five applications. */
export async function withNames() {
  const sample = await sampleGraph()
  const admin = await sample.clientWith(allGraphRoles)
  await sample.commit(
    ...names.map((displayName, index) =>
      put(
        'application',
        application({
          id: guid(0x100 + index),
          appId: guid(0x200 + index),
          displayName,
          identifierUris: [`api://${guid(0x200 + index)}`, `https://contoso.example/${index}`],
        }),
      ),
    ),
  )
  return { ...sample, admin }
}

/** The header of advanced queries. */
export const eventual = { consistencylevel: 'eventual' }

/** The names of the five applications in a response, in its order. */
export const displayNames = ({ value }: Body) =>
  value.map(({ displayName }) => String(displayName)).filter((name) => names.includes(name))
