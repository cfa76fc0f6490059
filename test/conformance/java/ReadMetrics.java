import com.sun.tools.attach.VirtualMachine;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Prints what another JVM of this machine has in the JMX domain kafka.connect: `java ReadMetrics.java PID`. A line for each attribute: object
 * name, attribute, value, with tabs between them.
 */
class ReadMetrics {
  public static void main(String[] arguments) throws Exception {
    VirtualMachine machine = VirtualMachine.attach(arguments[0]);
    String url = machine.startLocalManagementAgent();
    machine.detach();
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(url))) {
      MBeanServerConnection server = connector.getMBeanServerConnection();
      for (ObjectName name : server.queryNames(new ObjectName("kafka.connect:*"), null))
        for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes())
          System.out.println(
              name.getKeyPropertyListString() + "\t" + attribute.getName() + "\t" + server.getAttribute(name, attribute.getName()));
    }
  }
}
