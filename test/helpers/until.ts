/** Resolves once the claim holds. The bound is the time limit of the test that waits. */
export async function until(claim: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 5));
}
