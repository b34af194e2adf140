export { PostgresAddressError, parsePostgresAddress } from './postgres/postgres-address.ts'
export { keyEventRecord } from './sql/logs/sql-key-ring-store.ts'
export type { ObserveQuery } from './sql/sql-database.ts'
export { sqliteDatabase } from './sqlite/sqlite-database.ts'
export {
  defaultStorageLimits,
  openRegionalAssertions,
  openStandby,
  openStorage,
  type RegionalAssertions,
  type StandbyStorage,
  type Storage,
  type StorageOptions,
  sqlStorage,
} from './storage.ts'
