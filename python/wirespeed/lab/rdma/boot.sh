# The rest of the start of a virtual machine: by busybox's own programs what they can, as starting another takes an
# emulated processor a tenth of a second, and by the host's what configures it. Its folder holds
#   name hosts  modules (where they lie)  keep (the folder that may be written to, or nothing)
#    nics (MAC, name, MTU, up or down)  rdma (lines for `rdma -b`)  rows rows-undo (lines for `ip -b`)
#   management (separate address)
#   files/ (as rendered)  network/ (as netplan made them)  ssh/ (keys and configuration)
cd /run/wirespeed || exit
PATH=/run/wirespeed/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH LC_ALL=C
say() { echo "wirespeed: $*" >/dev/console; }
trap 'say "failed: it ended"' EXIT

read -r name <name
echo "$name" >/proc/sys/kernel/hostname
mkdir -p /dev/pts /dev/shm /run/sshd /run/lock
mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
ln -sf /proc/self/fd /dev/fd
release=$(uname -r)
mkdir -p "/lib/modules/$release"
mount --bind "$(cat modules)/lib/modules/$release" "/lib/modules/$release" || say "failed: no modules of $release"
# Networkd loads the modules of wireless LANs, which take longer than all the others.
mkdir -p /run/modprobe.d
echo "install cfg80211 /bin/false" >/run/modprobe.d/wirespeed.conf

cat hosts >>/etc/hosts
cp -a files/. /
sed -i '/^root:/s|[^:]*$|/bin/sh|' /etc/passwd # what root's own shell does when it starts may take seconds
ulimit -l unlimited # systemd gives it to services as rendered; here nothing else would
keep=$(cat keep)
if [ -n "$keep" ]; then
    mkdir -p "$keep" # what is mounted must not be called as a file here: busybox would take that
    mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=mmap kept "$keep" || say "failed: mount $keep"
fi
{
    echo "link set dev lo up"
    for at in /sys/class/net/*; do
        read -r mac <"$at/address"
        while read -r wanted name mtu state; do
            [ "$mac" = "$wanted" ] || continue
            echo "link set dev ${at##*/} name $name mtu $mtu"
            echo "link set dev $name $state"
        done <nics
    done
    echo "addr add $(cat management) dev mgmt0"
    echo "link set dev mgmt0 up"
} >names
/sbin/ip -batch names || say "failed: names of the NICs"
cp ssh/ssh_config /etc/ssh/ssh_config
{ /usr/sbin/sshd -f ssh/sshd_config -E sshd.log || say "failed: sshd: $(cat sshd.log)"; } &
sshd=$!

[ ! -f files/etc/sysctl.d/90-wirespeed.conf ] || /sbin/sysctl -q -p files/etc/sysctl.d/90-wirespeed.conf >/dev/console 2>&1
# Networkd takes what is rendered and nothing of the host's. Without a writable /sys it does not wait for udev.
rm -rf /etc/systemd/network
mkdir -p /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases
cp network/* /run/systemd/network/
chmod 644 /run/systemd/network/*
chown -R systemd-network:systemd-network /run/systemd/netif
rdma -b rdma || say "failed: rdma link add"
/sbin/ip -force -batch rows || say "failed: rows of the GID tables"
unshare --mount sh -c 'mount -o remount,ro /sys; exec /lib/systemd/systemd-networkd' 2>/run/wirespeed/networkd.log &

set -- network/*.network
while :; do
    configured=0
    for at in /run/systemd/netif/links/*; do
        while read -r line; do
            case $line in ADMIN_STATE=configured) configured=$((configured + 1)) && break ;; OPER_STATE=*) break ;; esac
        done <"$at"
    done
    [ "$configured" -lt $# ] || break
    sleep 0.2
done
wait "$sshd"
/sbin/ip -batch rows-undo || say "failed: rows of the GID tables"
say "ready after $(cut -d ' ' -f 1 /proc/uptime) s"
trap - EXIT
# Whatever becomes an orphan is this shell's to bury.
while :; do sleep 86400 & wait $!; done
