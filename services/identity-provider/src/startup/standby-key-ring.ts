import type { KeyRingStore } from '@greeting/directory/keys'
import type { StandbyReads } from '@greeting/directory/live'

/** The key ring, which is read from a standby while the store is unavailable. */
export const standbyKeyRing = (
  store: KeyRingStore,
  standby: Pick<KeyRingStore, 'read'>,
  reads: Pick<StandbyReads, 'ask'>,
): KeyRingStore => ({
  commit: (...commit) => store.commit(...commit),
  read: (known) =>
    reads.ask(
      () => store.read(known),
      async () => {
        const answer = await standby.read(known)
        // A standby that is behind says nothing of the keys in memory.
        if (answer.hasKnown || known === undefined) return answer
        return { latest: known, hasKnown: true, ring: [] }
      },
    ),
})
