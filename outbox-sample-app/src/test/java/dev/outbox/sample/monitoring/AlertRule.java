package dev.outbox.sample.monitoring;

import dev.outbox.testing.SourceTree;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.beans.factory.config.YamlMapFactoryBean;
import org.springframework.core.io.FileSystemResource;

/** Alert of the rules that are shipped. */
record AlertRule(String name, String expression, Map<String, String> annotations) {

    /** Reads the rules, in their order, with {@code docs/monitoring/prometheus-rules.yml} as the only source. */
    static List<AlertRule> all() {
        YamlMapFactoryBean yaml = new YamlMapFactoryBean();
        yaml.setResources(new FileSystemResource(SourceTree.ROOT.resolve("docs/monitoring/prometheus-rules.yml")));
        Map<String, Object> file = Objects.requireNonNull(yaml.getObject());
        return maps(file.get("groups")).stream()
                .flatMap((group) -> maps(group.get("rules")).stream())
                .map(AlertRule::of)
                .toList();
    }

    static Map<String, AlertRule> byName() {
        return all().stream().collect(Collectors.toMap(AlertRule::name, (rule) -> rule));
    }

    boolean hasConsole() {
        return annotations.containsKey("console_url");
    }

    @SuppressWarnings("unchecked")
    private static AlertRule of(Map<String, Object> rule) {
        return new AlertRule(
                (String) rule.get("alert"), (String) rule.get("expr"), (Map<String, String>) rule.get("annotations"));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> maps(Object list) {
        return (List<Map<String, Object>>) list;
    }
}
