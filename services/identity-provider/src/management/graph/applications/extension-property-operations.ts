import {
  type Application,
  type ExtensionProperty,
  formsOf,
  shownProperties,
} from '@greeting/directory'
import { bodyCollection, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { listEntities } from '../../odata/list-entities.ts'
import { showCreated } from '../../odata/show-entity.ts'
import {
  type Call,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  operation,
} from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { findApplication, partNamed } from '../directory-objects/find-object.ts'
import { examineObjects, stored } from '../directory-objects/object-operations.ts'
import { isApplication } from '../directory-objects/object-type.ts'
import { partOperations } from '../directory-objects/part-operations.ts'

type Extension = ExtensionProperty & { readonly appDisplayName: string }

const dataTypes = ['Binary', 'Boolean', 'DateTime', 'Integer', 'LargeInteger', 'String']
const targets = ['User', 'Group', 'AdministrativeUnit', 'Application', 'Device', 'Organization']
const properties = {
  id: {},
  deletedDateTime: { fixed: null, type: 'Edm.DateTimeOffset' },
  appDisplayName: {},
  dataType: { body: z.enum(dataTypes) },
  isMultiValued: { type: 'Edm.Boolean', body: z.boolean().default(false) },
  isSyncedFromOnPremises: { fixed: false, type: 'Edm.Boolean' },
  name: {
    filter: 'value',
    body: text(120).regex(/^\w+$/, 'must be letters, digits and underscores'),
  },
  targetObjects: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(z.enum(targets), targets.length).refine(
      (all) => all.length > 0 && new Set(all).size === all.length,
      'must have at least one type, and each only once',
    ),
  },
} as const

/** Microsoft Graph's entity set of an application's extension properties. */
export const extensionProperties: EntitySet<Extension> = {
  name: 'extensionProperties',
  type: 'extensionProperty',
  keyOf: ({ id }) => id,
  properties: shownProperties<Extension, unknown>(properties),
}

/** The operations on extension properties, which an application defines. No object has a value for them here. */
export const extensionPropertyOperations: readonly DirectoryOperation[] = [
  operation('POST /directoryObjects/getAvailableExtensionProperties', [['Directory.Read.All']], {
    summary: 'Lists the extension properties of all applications that the tenant has or uses.',
    list: async (call) => {
      const { isSyncedFromOnPremises: isSynced } = parseBody(availableBody, call.body)
      const kinds = isSynced ? [] : (['application', 'servicePrincipal'] as const)
      const found = await examineObjects(call, kinds, (one, directory) => {
        const application = isApplication(one) ? one : directory.applicationByAppId(one.appId)
        return application === undefined ? [] : extensionsOf(application)
      })
      const all = new Map(found.map((one) => [one.id, one])).values()
      // The link to a second page would be a GET, which Graph does not have.
      const query = call.query.size > 0 ? call.query : new URLSearchParams({ $top: '999' })
      return call.read((directory) => listEntities({ ...call, directory, query }, ofAll, all))
    },
  }),
  ...partOperations({
    set: extensionProperties,
    key: 'extension',
    name: 'ExtensionProperty',
    partsOf: (call) => extensionsOf(findApplication(call)),
    find: (call) => findExtension(call),
    lists: 'Lists the extension properties that an application defines. They have no effect.',
    shows: 'Shows an extension property. It has no effect.',
    create: {
      summary: 'Defines an extension property. It has no effect: no object can have a value of it.',
      change: create,
    },
    remove: { summary: 'Removes an extension property, which had no effect.', change: remove },
  }),
]

const maxExtensions = 100
const newExtension = z.strictObject(formsOf(properties))

const extensionsOf = ({ displayName, extensionProperties }: Application): readonly Extension[] =>
  extensionProperties.map((one) => ({ ...one, appDisplayName: displayName }))

function create(call: ChangingCall): Change {
  const application = findApplication(call)
  const others = application.extensionProperties
  const body = parseBody(newExtension, call.body)
  const name = `extension_${application.appId.replaceAll('-', '')}_${body.name}`
  if (others.some((other) => other.name === name)) throw refuse('extension_property_taken', name)
  if (others.length === maxExtensions)
    throw refuse(
      'body_invalid',
      `An application must not have more than ${maxExtensions} extension properties.`,
    )
  const added = { ...body, id: call.runtime.newGuid(), name }
  return stored(
    'application',
    { ...application, extensionProperties: [...others, added] },
    showCreated(call, extensionProperties, { ...added, appDisplayName: application.displayName }),
  )
}

const findExtension = (call: Call): Extension =>
  partNamed(extensionsOf(findApplication(call)), call.parameters.extension)

const { type } = extensionProperties
const ofAll = { ...extensionProperties, name: `Collection(${type})`, typeOf: () => type }
const availableBody = z.strictObject({ isSyncedFromOnPremises: z.boolean().nullish() })

function remove(call: ChangingCall): Change {
  const { id } = findExtension(call)
  const application = findApplication(call)
  const kept = application.extensionProperties.filter((one) => one.id !== id)
  return stored('application', { ...application, extensionProperties: kept })
}
