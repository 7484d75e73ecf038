/**
 * Debiased exponential moving average, as TensorBoard draws it (RUN-27): m₀ = 0, mᵢ = α·mᵢ₋₁ + (1−α)·xᵢ,
 * shown mᵢ / (1−αⁱ). Points that are null are skipped and stay null.
 *
 * @param weight - α, at least 0 and below 1; 0 gives the values back.
 */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let moving = 0;
  let bias = 1;
  return values.map((value) => {
    if (value === null) return null;
    moving = weight * moving + (1 - weight) * value;
    bias *= weight;
    return moving / (1 - bias);
  });
}
