package dev.outbox.chaos.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outbox.testing.Guarantee;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the delivery protocol in every state that can be reached, and that each of its rules is needed. */
@Tag("full")
class ProtocolModelTest {

    @ParameterizedTest
    @EnumSource(names = {"FAULTS", "WINDOW", "LANES", "BLOCKING", "LATER"})
    @Guarantee(value = "G5", sentence = "A model of the protocol finds no late write in any state within its bounds.")
    void completeProtocolKeepsEveryPromise(Scenario scenario) {
        assertHolds(scenario.explore(Protocol.complete()));
    }

    @Tag("chaos")
    @ParameterizedTest
    @EnumSource(names = {"MORE_FAULTS", "MORE_PUBLISHERS", "MORE_FAILURES", "MORE_LATER", "LATER_HANDLERS"})
    void completeProtocolKeepsEveryPromiseInLargerBounds(Scenario scenario) {
        assertHolds(scenario.explore(Protocol.complete()));
    }

    @ParameterizedTest
    @MethodSource("brokenPromises")
    void promiseBreaksWithoutRule(Rule rule, Scenario scenario, Property promise) {
        Explorer.Result result = new Explorer(Protocol.without(rule), scenario.bounds()).explore();

        assertThat(result.violation()).as("without %s", rule).isNotNull();
        print(rule.name(), result.violation());
        assertThat(result.violation().property()).isEqualTo(promise);
    }

    /** Within an incarnation, ids are given once: tokens matter if a crash goes unnoticed. */
    @Test
    void randomTokenIsSecondLineOfDefence() {
        Explorer.Result withIncarnation =
                new Explorer(Protocol.without(Rule.RANDOM_TOKEN), Scenario.LANES.bounds()).explore();
        Explorer.Result without =
                new Explorer(Protocol.without(Rule.INCARNATION, Rule.RANDOM_TOKEN), Scenario.FAULTS.bounds()).explore();

        assertHolds(withIncarnation);
        print("RANDOM_TOKEN and INCARNATION", without.violation());
        assertThat(without.violation().property()).isEqualTo(Property.FENCED_SETTLEMENT);
    }

    @Test
    void everyRuleIsSwitchedOffOnce() {
        Set<Rule> rules = EnumSet.of(Rule.RANDOM_TOKEN);
        brokenPromises().forEach((arguments) -> rules.add((Rule) arguments.get()[0]));

        assertThat(rules).containsExactlyInAnyOrder(Rule.values());
    }

    static Stream<Arguments> brokenPromises() {
        return Stream.of(
                arguments(Rule.TRANSACTION_ID_FIRST, Scenario.WINDOW, Property.GAPLESS_WINDOW),
                arguments(Rule.LAST_ID_BEFORE_HORIZON, Scenario.WINDOW, Property.GAPLESS_WINDOW),
                arguments(Rule.WINDOW_WAITS_FOR_WRITERS, Scenario.WINDOW, Property.GAPLESS_WINDOW),
                arguments(Rule.SAFE_MARK, Scenario.WINDOW, Property.GAPLESS_WINDOW),
                arguments(Rule.WINDOW_IN_DATABASE, Scenario.WINDOW, Property.GAPLESS_WINDOW),
                arguments(Rule.STREAM_LOCK, Scenario.FAULTS, Property.ONE_OWNER),
                arguments(Rule.SKIP_CLAIMED_AGGREGATES, Scenario.FAULTS, Property.ONE_OWNER),
                arguments(Rule.SKIP_BEHIND_LOCKED_ROW, Scenario.FAULTS, Property.ORDER),
                arguments(Rule.END_EXPIRED_CLAIMS, Scenario.FAULTS, Property.NOTHING_LOST),
                arguments(Rule.VOID_WHILE_LOCKED, Scenario.LANES, Property.NOTHING_LOST),
                arguments(Rule.CONFIRM_BEFORE_START, Scenario.FAULTS, Property.LIVE_CLAIM),
                arguments(Rule.TRUST_ENDS_WITH_LEASE, Scenario.FAULTS, Property.LIVE_CLAIM),
                arguments(Rule.WAIT_FOR_TRUST_TO_END, Scenario.FAULTS, Property.LIVE_CLAIM),
                arguments(Rule.SETTLE_NEEDS_CLAIM, Scenario.FAULTS, Property.FENCED_SETTLEMENT),
                arguments(Rule.INCARNATION, Scenario.FAULTS, Property.ORDER),
                arguments(Rule.SETTLE_IN_ORDER, Scenario.FAULTS, Property.ORDER),
                arguments(Rule.WAIT_BEHIND_LANE, Scenario.FAULTS, Property.ORDER),
                arguments(Rule.WAIT_BEHIND_FAILURE, Scenario.FAULTS, Property.ORDER),
                arguments(Rule.LANE_LEASE, Scenario.FAULTS, Property.LIVE_CLAIM),
                arguments(Rule.CHECK_UNDER_LOCK, Scenario.LANES, Property.LIVE_CLAIM),
                arguments(Rule.READ_AFTER_LOCK, Scenario.LANES, Property.SETTLED_STAYS),
                arguments(Rule.LANE_FENCE, Scenario.FAULTS, Property.FENCED_SETTLEMENT),
                arguments(Rule.REFRESH_LANE, Scenario.FAULTS, Property.LANE_ROW),
                arguments(Rule.LANE_LOCK, Scenario.FAULTS, Property.LANE_ROW),
                arguments(Rule.LEASED_IS_BUSY, Scenario.LANES, Property.SETTLED_STAYS),
                arguments(Rule.REPLAY_WAITS, Scenario.LANES, Property.ONE_OWNER),
                arguments(Rule.ONE_AFTER_CRASH, Scenario.LANES, Property.BLAME),
                arguments(Rule.COUNT_RETURNS, Scenario.LANES, Property.BLAME),
                arguments(Rule.LEASE_BLAMES_ITS_OWN, Scenario.LANES, Property.BLAME),
                arguments(Rule.CHAIN_ENDS_WITH_FAILURE, Scenario.LATER, Property.ORDER),
                arguments(Rule.CLAIM_KEEPS_LANE, Scenario.LATER, Property.ONE_OWNER),
                arguments(Rule.KEPT_STAYS_KEPT, Scenario.LATER, Property.ORDER),
                arguments(Rule.LAST_EVENT_LEAVES_LANES, Scenario.LATER, Property.NOTHING_LOST),
                arguments(Rule.LAST_LANE_LEAVES_EVENTS, Scenario.LATER, Property.LIVE_CLAIM),
                arguments(Rule.KEPT_FENCE, Scenario.LATER, Property.FENCED_SETTLEMENT),
                arguments(Rule.KEPT_BEFORE_LATER_EVENTS, Scenario.LATER, Property.ORDER));
    }

    private static void assertHolds(Explorer.Result result) {
        assertThat(result.violation()).isNull();
        assertThat(result.states()).isGreaterThan(1_000);
    }

    private static void print(String rule, Explorer.Violation violation) {
        System.out.printf(
                "model without %s breaks %s:%n    %s%n",
                rule, violation.property(), String.join("\n    ", violation.trace()));
    }
}
