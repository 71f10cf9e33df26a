package dev.outbox.chaos.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The delivery protocol: all that take part in it, and what must be true. */
final class Model {

    private final Publishers publishers;
    private final Properties properties;
    private final List<Role> roles;

    Model(Protocol protocol, Bounds bounds) {
        Fence fence = new Fence(protocol);
        ClaimWindow window = new ClaimWindow(protocol, bounds);
        Lanes lanes = new Lanes(protocol, bounds);
        Dispatch dispatch = new Dispatch(protocol, bounds, fence);
        Claims claims = new Claims(protocol, bounds, window, lanes, dispatch);
        publishers = new Publishers(protocol, bounds);
        properties = new Properties(bounds, window, lanes);
        LaneSettlements laneSettlements = new LaneSettlements(protocol, bounds, lanes, dispatch, fence);
        roles = List.of(
                new LaterOutcomes(protocol, bounds, dispatch),
                dispatch,
                new Settlements(protocol, bounds, lanes, dispatch, fence, laneSettlements),
                laneSettlements,
                publishers,
                claims,
                new LaneClaims(protocol, bounds, claims),
                new Leases(bounds, fence),
                new Faults(protocol, bounds),
                new Operator(protocol, bounds, lanes),
                window);
    }

    State initial() {
        return publishers.initial();
    }

    /** The steps that are possible in a state. The first one that is no fault brings the delivery forward. */
    List<Steps.Step> steps(State state) {
        Steps steps = new Steps();
        roles.forEach((role) -> role.addSteps(state, steps));
        return steps.list();
    }

    /** The property that does not hold in a state, or that the step to it has violated. */
    @Nullable
    Property violated(State state) {
        properties.check(state);
        return state.violated();
    }

    boolean isComplete(State state) {
        return properties.isComplete(state);
    }
}
