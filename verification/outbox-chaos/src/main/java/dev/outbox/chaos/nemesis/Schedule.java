package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.nemesis.FaultType.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Every fault of a run with its time, as the seed decides. */
public record Schedule(List<Planned> faults) {

    public Schedule {
        faults = List.copyOf(faults);
    }

    /** Fault with its time since the beginning and the seed of its details. */
    public record Planned(Duration at, FaultType type, long seed) {}

    /** Spreads faults over some time: those of one lane in random order and at about equal distances, and the last lane at the end. */
    public static Schedule of(long seed, Map<FaultType, Integer> counts, Duration time) {
        Random random = new Random(seed);
        List<Planned> planned = new ArrayList<>();
        for (Lane lane : Lane.values()) {
            List<FaultType> types = new ArrayList<>();
            for (FaultType type : FaultType.values()) {
                if (type.lane() == lane) {
                    types.addAll(Collections.nCopies(counts.getOrDefault(type, 0), type));
                }
            }
            Collections.shuffle(types, random);
            long distance = time.toMillis() / (types.size() + 1);
            for (int i = 0; i < types.size(); i++) {
                long offset = distance * i + random.nextLong(Math.max(1, distance));
                long at = lane == Lane.ALONE ? time.toMillis() : offset;
                planned.add(new Planned(Duration.ofMillis(at), types.get(i), random.nextLong()));
            }
        }
        return new Schedule(planned);
    }

    List<Planned> of(Lane lane) {
        return faults.stream().filter((fault) -> fault.type().lane() == lane).toList();
    }
}
