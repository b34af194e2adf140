import { describe } from 'node:test'
import { changeListConformance } from './change-list-conformance.ts'
import { directoryListConformance } from './directory-list-conformance.ts'
import { directoryLogConformance } from './directory-log-conformance.ts'
import { directoryLookupConformance } from './directory-lookup-conformance.ts'
import { endingCredentialsConformance } from './ending-credentials-conformance.ts'
import { issuanceRecordConformance } from './issuance-record-conformance.ts'
import { keyRingStoreConformance } from './key-ring-store-conformance.ts'
import { replicaCommitsConformance } from './replica-commits-conformance.ts'
import type { ReusedStores } from './reused-stores.ts'
import { tenantCommitsConformance } from './tenant-commits-conformance.ts'

const suites = [
  ['a directory log in STORE (AS31)', directoryLogConformance],
  ['replica commits in STORE', replicaCommitsConformance],
  ['tenant commits in STORE', tenantCommitsConformance],
  ['directory lookups in STORE', directoryLookupConformance],
  ['directory lists in STORE', directoryListConformance],
  ['a change list in STORE', changeListConformance],
  ['expiring credentials in STORE', endingCredentialsConformance],
  ['a key ring in STORE', keyRingStoreConformance],
  ['issuance records in STORE (AS20)', issuanceRecordConformance],
] as const

/** Runs the tests of every store, under the name of one store. */
export function storageConformance(store: string, stores: ReusedStores): void {
  for (const [title, conformance] of suites)
    describe(title.replace('STORE', store), () => {
      stores.emptyAfterUse()
      conformance(stores.fresh)
    })
}
