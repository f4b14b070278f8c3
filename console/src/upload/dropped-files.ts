/** The files of a drop, with those in dropped folders, in the order of their paths. Hidden files of folders are left out. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // The list is empty after the event, so all entries are read before the first await.
  const items = Array.from(transfer.items, (item) => item.webkitGetAsEntry() ?? item.getAsFile()).filter((item) => item !== null);
  const files = (await Promise.all(items.map((item) => (item instanceof File ? [item] : filesIn(item))))).flat();
  return files.filter(({ name }) => !name.startsWith('.'));
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    // A browser returns a folder in portions; an empty one is the end.
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) break;
    children.push(...portion);
  }
  children.sort((left, right) => left.name.localeCompare(right.name));
  return (await Promise.all(children.map(filesIn))).flat();
}
