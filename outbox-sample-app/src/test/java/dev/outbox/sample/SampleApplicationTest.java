package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.ConfigurationClassPostProcessor;

/** What the two services over Kafka consist of. */
class SampleApplicationTest {

    @ParameterizedTest
    @CsvSource({
        "web, charging, true",
        "web, orderResults, true",
        "web, backtestResults, true",
        "web, pushSender, false",
        "web, orderExecutorWorker, false",
        "web, orderExecutor, false",
        "web, reconciliation, false",
        "web, simulatedExchange, false",
        "web, backtestWorker, false",
        "worker, charging, false",
        "worker, orderResults, false",
        "worker, backtestResults, false",
        "worker, pushSender, true",
        "worker, orderExecutorWorker, true",
        "worker, orderExecutor, true",
        "worker, reconciliation, true",
        "worker, simulatedExchange, true",
        "worker, backtestWorker, true"
    })
    void eachServiceHasItsPart(String profile, String bean, boolean part) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of("sample.transport=kafka", "spring.profiles.active=" + profile)
                    .applyTo(context);
            new ConfigDataApplicationContextInitializer().initialize(context);
            context.register(SampleApplication.Web.class, SampleApplication.Worker.class);
            context.scan("dev.outbox.sample.trading", "dev.outbox.sample.backtest");
            DefaultListableBeanFactory beans = context.getDefaultListableBeanFactory();
            ConfigurationClassPostProcessor scan = new ConfigurationClassPostProcessor();
            scan.setEnvironment(context.getEnvironment());
            scan.postProcessBeanDefinitionRegistry(beans);

            assertThat(beans.containsBeanDefinition(bean)).isEqualTo(part);
        }
    }
}
