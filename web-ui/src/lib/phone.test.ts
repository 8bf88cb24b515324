import { describe, expect, it } from "vitest";
import { phoneAddress } from "./phone";

const of = (address: string) => phoneAddress(new URL(address) as unknown as Location);

describe("an address for a phone", () => {
  it("is that of the page, with its filters and without what stands behind #", () => {
    const { url, local } = of("https://controller.example:17070/models/shop?tab=units&q=front#secret");
    expect(url).toBe("https://controller.example:17070/models/shop?tab=units&q=front");
    expect(local).toBe(false);
  });

  it.each(["localhost", "page.localhost", "127.0.0.1", "127.8.9.1", "[::1]"])("cannot be %s", (host) => {
    expect(of(`https://${host}:17070/models`).local).toBe(true);
  });

  it.each(["10.0.0.5", "127.example.com", "[fd00::1]", "nolocalhost"])("can be %s", (host) => {
    expect(of(`https://${host}:17070/models`).local).toBe(false);
  });
});
