package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.monitoring.Expression.Aggregation;
import dev.outbox.sample.monitoring.Expression.Matcher;
import dev.outbox.sample.monitoring.Expression.Selector;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares the metrics and labels of an expression with those of a scrape. */
final class Labels {

    private Labels() {}

    /** Fails unless each selector reads a metric of the scrape, with labels that it has there or that Prometheus adds. */
    static void check(Expression expression, Map<String, Set<String>> scrape, Set<String> target) {
        List<Selector> selectors = PromQl.selectors(expression);
        assertThat(selectors).isNotEmpty().allSatisfy((selector) -> {
            assertThat(scrape).containsKey(selector.metric());
            Set<String> labels = new HashSet<>(scrape.get(selector.metric()));
            labels.addAll(target);
            assertThat(labels).as(selector.metric()).containsAll(used(expression, selector));
        });
    }

    /** Returns the labels that matchers and the aggregations around a selector name. */
    private static Set<String> used(Expression expression, Selector selector) {
        Set<String> used = new HashSet<>();
        selector.matchers().stream().map(Matcher::label).forEach(used::add);
        expression
                .all()
                .filter((part) ->
                        part instanceof Aggregation && PromQl.selectors(part).contains(selector))
                .forEach((part) -> used.addAll(((Aggregation) part).by()));
        return used;
    }
}
