/** Has the browser save bytes that the page has. */
export function save(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Not at once: the browser begins to read it after this.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
