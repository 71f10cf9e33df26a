package dev.outbox.sample.monitoring;

import dev.outbox.sample.monitoring.Expression.Aggregation;
import dev.outbox.sample.monitoring.Expression.Binary;
import dev.outbox.sample.monitoring.Expression.Call;
import dev.outbox.sample.monitoring.Expression.Constant;
import dev.outbox.sample.monitoring.Expression.Range;
import dev.outbox.sample.monitoring.Expression.Selector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/**
 * Evaluates an expression at one time over recorded scrapes. Differs from Prometheus in one point: {@code increase} and {@code rate} do not
 * extrapolate to the ends of their window. An alert is true if the result has an element.
 */
final class Evaluation {

    private final Scrapes scrapes;
    private final Instant time;

    Evaluation(Scrapes scrapes, Instant time) {
        this.scrapes = scrapes;
        this.time = time;
    }

    /** Returns the instant vector of an expression: values by labels. */
    Map<Map<String, String>, Double> vector(Expression expression) {
        if (expression instanceof Selector selector) {
            return instant(selector);
        }
        if (expression instanceof Aggregation aggregation) {
            return aggregated(aggregation);
        }
        if (expression instanceof Call call) {
            return called(call);
        }
        if (expression instanceof Binary binary) {
            return combined(binary);
        }
        throw new UnsupportedOperationException("not an instant vector: " + expression);
    }

    private Map<Map<String, String>, Double> instant(Selector selector) {
        Map<Map<String, String>, Double> vector = new HashMap<>();
        scrapes.of(selector.metric(), time.minus(Scrapes.LOOKBACK), time).forEach((series, values) -> {
            if (selector.matchers().stream().allMatch((matcher) -> matcher.matches(series.labels()))) {
                vector.put(series.labels(), values.lastEntry().getValue());
            }
        });
        return vector;
    }

    private Map<Map<String, String>, Double> called(Call call) {
        return switch (call.function()) {
            case "increase" -> increase((Range) call.arguments().get(0), 1);
            case "rate" -> {
                Range range = (Range) call.arguments().get(0);
                yield increase(range, range.window().toMillis() / 1000.0);
            }
            case "absent" ->
                vector(call.arguments().get(0)).isEmpty() ? Map.of(Map.<String, String>of(), 1.0) : Map.of();
            default -> throw new UnsupportedOperationException("not evaluated: " + call.function());
        };
    }

    private Map<Map<String, String>, Double> increase(Range range, double divisor) {
        Map<Map<String, String>, Double> vector = new HashMap<>();
        Selector selector = range.selector();
        scrapes.of(selector.metric(), time.minus(range.window()), time).forEach((series, values) -> {
            boolean matches = selector.matchers().stream().allMatch((matcher) -> matcher.matches(series.labels()));
            if (matches && values.size() > 1) {
                vector.put(series.labels(), increase(values) / divisor);
            }
        });
        return vector;
    }

    /** A counter that falls has begun again at zero. */
    private static double increase(NavigableMap<Instant, Double> values) {
        double increase = 0;
        double last = values.firstEntry().getValue();
        for (double value : values.values()) {
            increase += value < last ? value : value - last;
            last = value;
        }
        return increase;
    }

    private Map<Map<String, String>, Double> aggregated(Aggregation aggregation) {
        Map<Map<String, String>, List<Double>> groups = new HashMap<>();
        vector(aggregation.argument()).forEach((labels, value) -> {
            Map<String, String> group = new TreeMap<>(labels);
            group.keySet().retainAll(aggregation.by());
            groups.computeIfAbsent(group, (key) -> new ArrayList<>()).add(value);
        });
        Map<Map<String, String>, Double> vector = new HashMap<>();
        groups.forEach((group, values) -> vector.put(group, aggregate(aggregation.operator(), values)));
        return vector;
    }

    private static double aggregate(String operator, List<Double> values) {
        DoubleStream numbers = values.stream().mapToDouble(Double::doubleValue);
        return switch (operator) {
            case "sum" -> numbers.sum();
            case "count" -> values.size();
            // Prometheus prefers every number to NaN.
            case "max" -> numbers.filter((value) -> !Double.isNaN(value)).max().orElse(Double.NaN);
            default -> throw new UnsupportedOperationException("aggregation " + operator);
        };
    }

    private Map<Map<String, String>, Double> combined(Binary binary) {
        Map<Map<String, String>, Double> left = vector(binary.left());
        if (binary.right() instanceof Constant constant) {
            Map<Map<String, String>, Double> result = new HashMap<>();
            left.forEach((labels, value) -> put(result, labels, binary.operator(), value, constant.value()));
            return result;
        }
        Map<Map<String, String>, Double> right = vector(binary.right());
        Map<Map<String, String>, Double> result = new HashMap<>();
        switch (binary.operator()) {
            case "or" -> {
                result.putAll(right);
                result.putAll(left);
            }
            case "and" -> {
                result.putAll(left);
                result.keySet().retainAll(right.keySet());
            }
            case "unless" -> {
                result.putAll(left);
                result.keySet().removeAll(right.keySet());
            }
            default ->
                left.forEach((labels, value) -> {
                    Double other = right.get(labels);
                    if (other != null) {
                        put(result, labels, binary.operator(), value, other);
                    }
                });
        }
        return result;
    }

    /** A comparison keeps the element or drops it; arithmetic changes its value. */
    private static void put(
            Map<Map<String, String>, Double> result,
            Map<String, String> labels,
            String operator,
            double left,
            double right) {
        switch (operator) {
            case "+" -> result.put(labels, left + right);
            case "-" -> result.put(labels, left - right);
            case "*" -> result.put(labels, left * right);
            case "/" -> result.put(labels, left / right);
            default -> {
                if (holds(operator, left, right)) {
                    result.put(labels, left);
                }
            }
        }
    }

    private static boolean holds(String operator, double left, double right) {
        return switch (operator) {
            case ">" -> left > right;
            case "<" -> left < right;
            case ">=" -> left >= right;
            case "<=" -> left <= right;
            case "==" -> left == right;
            case "!=" -> left != right;
            default -> throw new UnsupportedOperationException("operator " + operator);
        };
    }
}
