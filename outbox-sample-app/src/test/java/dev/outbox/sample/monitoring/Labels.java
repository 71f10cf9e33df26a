package dev.outbox.sample.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Compares the metrics and labels of a query with those of a scrape. */
final class Labels {

    private static final Pattern METRIC = Pattern.compile("\\boutbox_\\w+");
    private static final Pattern BY = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=~|!=|=)\"");

    private Labels() {}

    /** Fails unless the scrape has each metric, with all labels of the query or with Prometheus to add them. */
    static void check(String query, Map<String, Set<String>> scrape, Set<String> target) {
        Set<String> used = Stream.concat(
                        BY.matcher(query)
                                .results()
                                .flatMap((by) -> Stream.of(by.group(1).split(", *"))),
                        MATCHER.matcher(query).results().map((matcher) -> matcher.group(1)))
                .collect(Collectors.toSet());
        List<String> metrics =
                METRIC.matcher(query).results().map(MatchResult::group).toList();
        assertThat(metrics).isNotEmpty().allSatisfy((metric) -> {
            assertThat(scrape).containsKey(metric);
            Set<String> labels = new HashSet<>(scrape.get(metric));
            labels.addAll(target);
            assertThat(labels).as(metric).containsAll(used);
        });
    }
}
