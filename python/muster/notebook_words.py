"""Names of IPython's magics that muster does not carry out."""

# https://ipython.readthedocs.io/en/stable/interactive/magics.html
LINES = frozenset("""
alias alias_magic autoawait autocall autoindent automagic autosave bookmark clear cls code_wrap
colors config connect_info debug dhist dirs doctest_mode ed edit gui hist history
killbgscripts ldir less lf lk load load_ext loadpy logoff logon logstart logstate logstop
lsmagic lx macro magic mamba man matplotlib micromamba more notebook page paste pastebin pdb
pdef pdoc pfile pinfo pinfo2 popd pprint precision prun psearch psource pushd pycat pylab
qtconsole quickref recall rehashx reload_ext rep rerun reset reset_selective save sc store tb
unalias unload_ext uv who who_ls whos xdel xmode
""".split())
