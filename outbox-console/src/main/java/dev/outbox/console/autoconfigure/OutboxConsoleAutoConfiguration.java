package dev.outbox.console.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Configures the console of an application that has an outbox and enables it with {@code outbox.console.enabled}. */
@AutoConfiguration(
        after = OutboxOperationsAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration"
        })
@EnableConfigurationProperties(OutboxConsoleProperties.class)
public final class OutboxConsoleAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(OutboxConsoleAutoConfiguration.class);
    private static final String DISPATCHER_SERVLET = "org.springframework.web.servlet.DispatcherServlet";

    private static SmartInitializingSingleton failure() {
        throw new OutboxConfigurationException(
                "with outbox.console.enabled=true, this web application does not use Spring MVC, which the console needs",
                "add spring-boot-starter-webmvc, or set outbox.console.enabled to false here and enable the console in a"
                        + " servlet application that uses the same database",
                null);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("outbox.console.enabled")
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(name = DISPATCHER_SERVLET)
    @ConditionalOnBean(OutboxInspector.class)
    @Import(ServletConsoleConfiguration.class)
    static class InServletApplication {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("outbox.console.enabled")
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnMissingClass(DISPATCHER_SERVLET)
    @ConditionalOnBean(OutboxInspector.class)
    static class WithoutSpringMvc {

        @Bean
        SmartInitializingSingleton outboxConsoleWithoutSpringMvc() {
            return failure();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("outbox.console.enabled")
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnBean(OutboxInspector.class)
    static class InReactiveApplication {

        @Bean
        SmartInitializingSingleton outboxConsoleInReactiveApplication() {
            return failure();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("outbox.console.enabled")
    @ConditionalOnMissingClass("dev.outbox.operations.OutboxOperations")
    static class WithoutOperations {

        @Bean
        SmartInitializingSingleton outboxConsoleWithoutOperations() {
            throw new OutboxConfigurationException(
                    "with outbox.console.enabled=true, this application excludes outbox-operations, which the console needs",
                    "add dev.outbox:outbox-operations, or set outbox.console.enabled to false",
                    null);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("outbox.console.enabled")
    @ConditionalOnNotWebApplication
    static class InOtherApplication {

        @Bean
        SmartInitializingSingleton outboxConsoleReport() {
            return () -> log.warn(
                    "outbox.console.enabled is true, but this is no web application: the console is not served");
        }
    }
}
