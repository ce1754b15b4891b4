/** As this API always told times: without a zone, which is UTC. */
export const timeOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, -1)}000`
