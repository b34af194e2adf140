const recordsPerApplication = 10
const mostRecords = 1_000_000

/** The audit records of a store: ten for each application, and a million at most. */
export const auditRecordsOf = (applications: number): number =>
  Math.min(applications * recordsPerApplication, mostRecords)
