/** A server for people: its name with its uuid, or the uuid alone. */
export const serverTitle = (uuid: string, name: string | null): string =>
  name === null ? uuid : `${name} (${uuid})`
