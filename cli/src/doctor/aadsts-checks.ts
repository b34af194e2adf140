// Generated from the rows of the refusals: npm run generate.
// biome-ignore-all format: one line for each row

/** The AADSTS codes of the refusals that belong to each check. */
export const aadstsChecks = {
  client: [82001, 82008, 700016, 700038, 7000112, 7000229],
  credential: [50013, 70023, 70025, 501661, 700021, 700023, 700024, 700025, 700027, 700211, 700212, 700213, 700229, 700231, 700236, 900612, 1000502, 5002723, 5002738, 7000215, 7000216, 7000222, 7000272, 7002131, 7002138],
  roles: [501051],
  scope: [50146, 70011, 500011, 500014, 700022, 1002012],
} as const
