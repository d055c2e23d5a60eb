/** `<table>-<what for>-20261120T160102Z` */
export function newTableName(tableName: string, purpose: 'drill' | 'restored'): string {
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `${tableName}-${purpose}-${now}`;
}
