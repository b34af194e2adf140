// Folder: Makes the tables of a store, and knows which later tables it may ignore.

import type { Migration } from 'kysely/migration'
import { firstSchema } from './first-schema.ts'

/** All steps since the first release, in order. A released step is never edited. */
export const migrations: Readonly<Record<string, Migration>> = {
  '2026-12-08-first-schema': firstSchema,
  '2026-12-09-tenant-properties': {
    up: ({ schema }) =>
      schema
        .alterTable('tenant')
        .addColumn('inert_properties', 'text', (column) => column.notNull().defaultTo('{}'))
        .execute(),
  },
}
