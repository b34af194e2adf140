import type { KeyCredential } from '../../../model/application/key-credential.ts'
import type { PasswordCredential } from '../../../model/application/password-credential.ts'
import type { ColumnForm, Property } from '../../../model/properties/property.ts'
import {
  type AppRoleAssignment,
  appRoleAssignmentProperties,
} from '../../../model/service-principal/app-role-assignment.ts'
import { type Tenant, tenantProperties } from '../../../model/tenant.ts'
import {
  keyCredentialFromRow,
  keyCredentialToRow,
  passwordCredentialFromRow,
  passwordCredentialToRow,
  type StoredCertificate,
  type StoredPassword,
} from './credential-rows.ts'
import { textOrNull, timeOrNull } from './object-rows.ts'
import type { AppRoleAssignmentRow, TenantRow } from './tables.ts'

/** How the store keeps each form of values. */
const forms: {
  readonly [Form in ColumnForm]: {
    readonly write: (value: never) => unknown
    readonly read: (stored: never) => unknown
  }
} = {
  plain: { write: (value: unknown) => value, read: (stored: unknown) => stored },
  boolean: {
    write: (value: boolean | null) => (value === null ? null : Number(value)),
    read: (stored: number | null) => (stored === null ? null : stored === 1),
  },
  time: { write: textOrNull, read: timeOrNull },
  json: { write: JSON.stringify, read: JSON.parse },
  secrets: {
    write: (all: readonly PasswordCredential[]) => JSON.stringify(all.map(passwordCredentialToRow)),
    read: (stored: string) =>
      (JSON.parse(stored) as StoredPassword[]).map(passwordCredentialFromRow),
  },
  certificates: {
    write: (all: readonly KeyCredential[]) => JSON.stringify(all.map(keyCredentialToRow)),
    read: (stored: string) => (JSON.parse(stored) as StoredCertificate[]).map(keyCredentialFromRow),
  },
}

/** Converts entities to rows, by the columns in a table of properties. Other tables may contain more of an entity. */
export function entityRows<Entity extends object, Row extends object>(
  table: Readonly<Record<string, Pick<Property<never, never>, 'column'>>>,
): {
  readonly toRow: (entity: Entity, more?: Partial<Row>) => Row
  readonly fromRow: (row: Row) => Entity
} {
  const columns = Object.entries(table).flatMap(([member, { column }]) =>
    column === undefined ? [] : [{ member, name: column[0], form: forms[column[1] ?? 'plain'] }],
  )
  return {
    toRow: (entity, more) => {
      const row: Record<string, unknown> = { ...more }
      for (const { member, name, form } of columns)
        row[name] = form.write(Reflect.get(entity, member) as never)
      return row as Row
    },
    fromRow: (row) => {
      const entity: Record<string, unknown> = {}
      for (const { member, name, form } of columns)
        entity[member] = form.read(Reflect.get(row, name) as never)
      return entity as Entity
    },
  }
}

export const tenantRows = entityRows<Tenant, TenantRow>(tenantProperties)
export const appRoleAssignmentRows = entityRows<AppRoleAssignment, AppRoleAssignmentRow>(
  appRoleAssignmentProperties,
)
