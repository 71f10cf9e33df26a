package dev.outbox.console.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.console.internal.page.Console;
import dev.outbox.console.internal.web.ConsoleSettings;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.autoconfigure.OutboxProperties;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Serves the console as a router function of Spring MVC. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(OutboxProperties.class)
class ServletConsoleConfiguration {

    private static final Logger log = LoggerFactory.getLogger(OutboxConsoleAutoConfiguration.class);
    private static final String FILTER_CHAIN = "org.springframework.security.web.SecurityFilterChain";
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

    @Bean
    static RouterFunction<ServerResponse> outboxConsole(Console console) {
        return console.routes();
    }

    @Bean(initMethod = "start")
    Console outboxConsolePages(
            OutboxConsoleProperties properties,
            OutboxProperties outbox,
            Environment environment,
            ListableBeanFactory beanFactory,
            OutboxInspector inspector,
            OutboxOperations operations,
            Replays replays,
            ScheduledEvents scheduled) {
        if (!properties.insecure() && !isSecured(beanFactory)) {
            throw new OutboxConfigurationException(
                    "with outbox.console.enabled=true, no Spring Security protects the console: there is no SecurityFilterChain",
                    "add spring-boot-starter-security and a login below " + properties.path()
                            + ". Where any client may retry and skip deliveries, as on a developer's machine, set"
                            + " outbox.console.insecure to true instead",
                    null);
        }
        if (!PATH.matcher(properties.path()).matches()) {
            throw new OutboxConfigurationException(
                    "the property outbox.console.path is '" + properties.path() + "', which is no path",
                    "set it to a path such as /outbox: with a slash at the beginning and none at the end",
                    null);
        }
        if (properties.insecure()) {
            log.warn(
                    "outbox.console.insecure is true: each client that reaches {} may retry, skip, pause and replay",
                    properties.path());
        }
        return new Console(settings(properties, outbox, environment), inspector, operations, replays, scheduled);
    }

    /** An application with lazy beans fails at its start too, not at the first request. */
    @Bean
    static LazyInitializationExcludeFilter outboxConsoleStartsEagerly() {
        return (name, definition, type) -> name.equals("outboxConsole");
    }

    private static ConsoleSettings settings(
            OutboxConsoleProperties properties, OutboxProperties outbox, Environment environment) {
        return new ConsoleSettings(
                properties.path(),
                environment.getProperty("spring.application.name", "application"),
                properties.insecure() ? null : outbox.authorities().rights(),
                properties.showPayloads());
    }

    private static boolean isSecured(ListableBeanFactory beanFactory) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return ClassUtils.isPresent(FILTER_CHAIN, loader)
                && beanFactory.getBeanNamesForType(ClassUtils.resolveClassName(FILTER_CHAIN, loader), true, false)
                                .length
                        > 0;
    }
}
