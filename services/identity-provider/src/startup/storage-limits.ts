import type { Settings } from '../settings.ts'
import { defaultStorageLimits } from '../storage/storage.ts'
import type { StorageLimits } from '../storage/storage-usage.ts'

/** The limits of the store that the settings contain. */
export const storageLimits = (settings: Settings): StorageLimits => ({
  ...defaultStorageLimits,
  records: {
    signIns: settings.MAX_SIGN_IN_RECORDS,
    unauthenticated: settings.MAX_UNAUTHENTICATED_RECORDS,
    refusedChanges: settings.MAX_REFUSED_CHANGE_RECORDS,
  },
  usedAssertions: settings.MAX_USED_ASSERTIONS,
})
